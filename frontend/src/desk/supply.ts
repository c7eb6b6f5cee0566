// Gets items from the server: the one that is wanted now, and those that will be wanted soon.
import { isDecision, type Message } from "./decision";
import type { ItemView } from "./item";
import { mount } from "./mounting";
import { assignment, say, words } from "./page";
import { sleep } from "./sender";
import { fetchItems } from "./server";
import { askToSignIn } from "./session";
import { at, close, queue } from "./state";

/** An item that was not ready, as soon as the server can be reached; undefined where it does not come, or where
 * something else was wanted meanwhile. */
export async function load(place: number): Promise<ItemView | undefined> {
  if (at.isClosed) return close();
  const mine = at.turn;
  say(words.loading!);
  for (let pause = 500; mine === at.turn; pause = Math.min(2 * pause, 10_000)) {
    const batch = await fetchItems(assignment, [place]);
    if (batch.kind === "batch" && !queue.get(place)) mount(batch.items[0]!);
    if (mine !== at.turn) return undefined;
    const ready = queue.get(place); // it may have come by itself meanwhile
    if (ready) {
      say("");
      return ready;
    }
    if (batch.kind === "gone") return close();
    say(batch.kind === "session" ? words.session! : words.offline!, "bad");
    if (batch.kind === "away") await sleep(pause);
    else if (!(await askToSignIn())) return undefined;
  }
  return undefined;
}

/** Asks for what will be wanted soon, if more is missing than the saves bring. */
export function fill(least = 4): void {
  const places = queue.missing(at.view.place);
  if (at.isClosed || places.length < least) return;
  queue.ask(places);
  void fetchItems(assignment, places).then((batch) => {
    if (batch.kind === "batch") batch.items.filter(({ place }) => !queue.get(place)).forEach(mount);
    else queue.unask(places);
    if (batch.kind === "gone") close();
  });
}

/** The place whose item the next save shall bring. */
export function wanted(message: Message): number | undefined {
  if (at.isClosed || !isDecision(message) || message.assignment !== assignment) return undefined;
  const place = queue.missing(at.view.place)[0];
  if (place !== undefined) queue.ask([place]);
  return place;
}
