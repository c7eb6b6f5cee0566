// Gets items from the server: the one that is wanted now, and those that will be wanted soon.
import { isDecision, type ItemHtml, type Message } from "./decision";
import type { ItemView } from "./item";
import { mountNew } from "./mounting";
import { assignment, say, words } from "./page";
import { sleep } from "./sender";
import { fetchItems, type Answer } from "./server";
import { askToSignIn } from "./session";
import { at, close, queue } from "./state";
import { lack, whyNot } from "./telling";
import { letGo } from "./turns";
import { coming } from "./walk";

/** So long, in milliseconds, the desk hears nothing else for the sake of an item that is on its way. */
const PATIENCE = 1000;

/** Why an item is not here: it cannot be shown, the server cannot be reached, or nobody wants it any longer. */
type Missing = "absent" | "away" | "unwanted";

/** An item that was not ready, if one request brings it. */
export async function attempt(place: number): Promise<ItemView | Missing> {
  if (at.isClosed) {
    close();
    return "unwanted";
  }
  const mine = at.turn;
  if (at.lacking !== place) say(words.loading!);
  at.lacking = place;
  const timer = setTimeout(() => mine === at.turn && goWithout(place), PATIENCE);
  const batch = await fetchItems(assignment, [place]);
  clearTimeout(timer);
  if (batch.kind === "batch") take(batch.items, [place]);
  if (mine !== at.turn) return "unwanted";
  const ready = queue.get(place); // it may have come by itself meanwhile
  if (batch.kind === "away" && !ready) return "away";
  lack();
  if (ready) return ready;
  if (batch.kind === "batch") return "absent";
  if (batch.kind === "gone") close();
  else say(whyNot(), "bad");
  return batch.kind === "session" && (await askToSignIn()) && mine === at.turn ? attempt(place) : "unwanted";
}

/** It is said that the item is not here, and other things can be decided. */
function goWithout(place: number): void {
  letGo();
  lack(place);
}

/** An item as soon as the server can be reached; undefined where it does not come, or where something else was wanted
 * meanwhile. Other things can be decided till then. */
export async function load(place: number): Promise<ItemView | undefined> {
  const mine = at.turn;
  for (let pause = 500; mine === at.turn; pause = Math.min(2 * pause, 10_000)) {
    const found = await attempt(place);
    if (found === "absent" || found === "unwanted") return undefined;
    if (found !== "away") return found;
    goWithout(place);
    await sleep(pause);
  }
  return undefined;
}

/** What has come is put ready; what was asked for and is not among it cannot be shown. */
function take(items: ItemHtml[], places: number[]): void {
  items.forEach(mountNew);
  queue.lose(places.filter((place) => !queue.get(place)));
}

/** Asks for what will be wanted soon, if more is missing than the saves bring. */
export function fill(least = 4): void {
  const places = queue.missing(at.view.place, coming());
  if (at.isClosed || places.length < least) return;
  queue.ask(places);
  void fetchItems(assignment, places).then((batch) => {
    if (batch.kind === "batch") void at.painted.then(() => take(batch.items, places));
    else queue.unask(places);
    if (batch.kind === "gone") close();
  });
}

/** The place whose item the next save shall bring. */
export function wanted(message: Message): number | undefined {
  if (at.isClosed || !isDecision(message) || message.assignment !== assignment) return undefined;
  const place = queue.missing(at.view.place, coming())[0];
  if (place !== undefined) queue.ask([place]);
  return place;
}

/** A save did not bring it. */
export function missed(place: number, { kind }: Answer): void {
  if (kind === "kept") queue.lose([place]);
  else queue.unask([place]);
}
