import assert from "node:assert/strict";
import { test } from "node:test";
import { item, TestDesk } from "./desk.testing";
import type { State } from "./state";

const said = (desk: TestDesk): string => desk.state.said.word;
const fetches = (desk: TestDesk): number[] => desk.effects.flatMap((effect) => (effect.kind === "fetch" ? [effect.place] : []));
type Result = "batch" | "away" | "gone" | "session";

/** The answer to the request for a place. */
function answer(desk: TestDesk, place: number, result: Result, isHere = false, isWriting = false): TestDesk {
  const items = isHere ? [item(place)] : [];
  if (result === "batch") desk.do({ type: "received", items, expected: [place] });
  return desk.do({ type: "fetched", wish: desk.state.wish, place, result, isWriting });
}

test("an item that is not here is fetched, and shown when it comes", () => {
  const desk = new TestDesk("ooo", { missing: [2] }).press("next");
  assert.deepEqual([fetches(desk), desk.state.place, said(desk)], [[2], 1, "loading"]);
  assert.equal(answer(desk, 2, "batch", true).state.place, 2);
});

test("an item that comes late does not take a comment away", () => {
  const desk = new TestDesk("ooo", { missing: [2] }).press("next");
  assert.equal(answer(desk, 2, "batch", true, true).state.place, 1);
});

test("an item that comes after another was wanted is not shown", () => {
  const desk = new TestDesk("ooo", { missing: [3], place: 2 }).press("next");
  const { wish } = desk.state;
  desk.press("previous").do({ type: "received", items: [item(3)], expected: [3] });
  desk.do({ type: "fetched", wish, place: 3, result: "batch", isWriting: false });
  assert.equal(desk.state.place, 1);
});

test("an item that cannot be shown is passed over, by judging and by going on", () => {
  const judged = answer(new TestDesk("ooo", { missing: [2] }).press("3"), 2, "batch");
  assert.deepEqual([judged.state.place, [...judged.state.places.absent]], [3, [2]]);
  const browsed = answer(new TestDesk("ooo", { missing: [2] }).press("next"), 2, "batch");
  assert.equal(browsed.state.place, 3);
  assert.equal(answer(browsed.press("previous"), 2, "batch").state.place, 1);
});

test("while the server is away, judging goes on with what is ready", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("3"), 2, "away");
  assert.equal(desk.state.place, 3);
});

test("if nothing is ready the page says that the item is loading, and asks again, less and less often", () => {
  const desk = new TestDesk("oo", { missing: [2] }).press("3");
  answer(desk, 2, "away");
  const shown = (state: State): unknown => state.awaited;
  for (let round = 0; round < 6; round++) {
    answer(desk, 2, "away");
    assert.deepEqual([shown(desk.state), desk.state.isBusy], [{ place: 2, isShown: true }, false]);
    desk.do({ type: "retry", wish: desk.state.wish, isLeft: false, isWriting: false });
  }
  const pauses = desk.effects.flatMap((effect) => (effect.kind === "retry" ? [effect.pause] : []));
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 10_000]);
  assert.equal(answer(desk, 2, "batch", true).state.place, 2);
  assert.equal(shown(desk.state), undefined);
});

test("what was meant for an item that is not here changes nothing, but undo takes back", () => {
  const desk = answer(answer(new TestDesk("oo", { missing: [2] }).press("3"), 2, "away"), 2, "away");
  for (const action of ["0", "do_not_know", "same", "defer"]) {
    assert.equal(said(desk.press(action)), "stands");
  }
  assert.deepEqual([desk.words, desk.press("undo").words, desk.state.awaited], [["3"], [""], undefined]);
});

test("a server that does not answer holds the keys up only for a while", () => {
  const desk = new TestDesk("oo", { missing: [2] }).press("3");
  assert.ok(desk.state.isBusy);
  desk.do({ type: "slow", wish: desk.state.wish });
  assert.deepEqual([desk.state.isBusy, desk.state.awaited?.isShown], [false, true]);
});

test("without a session the password is asked for, and then the item is fetched again", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("next"), 2, "session");
  assert.ok(desk.has("signIn"));
  desk.do({ type: "retry", wish: desk.state.wish, isLeft: false, isWriting: false });
  assert.deepEqual(fetches(desk), [2, 2]);
  desk.do({ type: "retry", wish: desk.state.wish, isLeft: true, isWriting: false });
  assert.equal(desk.state.goal, undefined);
});

test("a topic that was taken back brings no more items", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("next"), 2, "gone");
  assert.deepEqual([desk.state.isClosed, desk.state.place, said(desk)], [true, 1, "closed"]);
});

test("an item is on the screen when it is painted and the decision before it is stored", () => {
  const desk = new TestDesk("oo").pressAtOnce("3");
  desk.do({ type: "painted", frame: desk.state.frames });
  assert.deepEqual([desk.state.place, desk.state.painted, desk.state.isBusy], [2, 1, true]);
  desk.do({ type: "stored", key: desk.messages[0]!.key });
  assert.deepEqual([desk.state.painted, desk.state.isBusy], [2, false]);
});
