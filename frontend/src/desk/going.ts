// What comes after a decision: the next open candidate, the item after it, the list.
import { painted } from "../frame";
import { bring } from "./mounting";
import { listAddress, say, words } from "./page";
import { show } from "./screen";
import { at, queue } from "./state";
import { attempt } from "./supply";
import { following } from "./walk";

/** To the next open candidate: of this item, else of the next one; after the last to the list. */
export async function goOn(since: number): Promise<void> {
  const { place, open } = at.view;
  if (open) {
    bring(open);
    await Promise.all([painted(), at.safe]);
    return;
  }
  at.passed = at.view;
  await advance(since);
  if (at.view.place !== place || queue.following(place).length) return;
  say(words.end!);
  void finish(place);
}

/** To the first of the places that follow. It is passed over where it cannot be shown, and, while the server is away,
 * where others are here already; where none is, it comes as soon as it can. */
export async function advance(since?: number): Promise<void> {
  let late: number | undefined;
  at.heading = undefined;
  for (const next of following(at.view.place)) {
    const here = queue.get(next);
    if (!here && late !== undefined) continue;
    const item = here ?? (await attempt(next));
    if (item === "unwanted") return;
    if (item === "away") late = next;
    else if (item !== "absent" && item.open) return void (await show(next, since)); // else only the server does not know
  }
  if (late !== undefined) await show(late, since);
}

/** To the list, when the server has everything; unless the assessor has gone elsewhere by then. */
async function finish(place: number): Promise<void> {
  await at.safe;
  if (document.documentElement.dataset.waiting !== "0") {
    await new Promise((resolve) => document.addEventListener("assess:sent", resolve, { once: true }));
  }
  const isHere = at.view.place === place && !at.isClosed;
  if (isHere && queue.following(place).length === 0) location.assign(listAddress);
}
