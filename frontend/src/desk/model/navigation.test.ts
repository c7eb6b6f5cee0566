import assert from "node:assert/strict";
import { test } from "node:test";
import { item, TestDesk } from "./desk.testing";
import type { Decision } from "./messages";

const said = (desk: TestDesk): string => desk.state.said.word;
const fetches = (desk: TestDesk): number[] => desk.effects.flatMap((effect) => (effect.kind === "fetch" ? [effect.place] : []));
type Result = "batch" | "away" | "gone" | "session";

/** The answer to the request for a place. */
function answer(desk: TestDesk, place: number, result: Result, isHere = false, isWriting = false): TestDesk {
  const items = isHere ? [item(place)] : [];
  if (result === "batch") desk.do({ type: "received", items, expected: [place] });
  return desk.do({ type: "fetched", wish: desk.state.wish, result, isWriting });
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
  desk.do({ type: "fetched", wish, result: "batch", isWriting: false });
  assert.equal(desk.state.place, 1);
});

test("an item that cannot be shown is passed over, by judging and by going on", () => {
  const judged = answer(new TestDesk("ooo", { missing: [2] }).press("3"), 2, "batch");
  assert.deepEqual([judged.state.place, [...judged.state.places.absent]], [3, [2]]);
  const browsed = answer(new TestDesk("ooo", { missing: [2] }).press("next"), 2, "batch");
  assert.equal(browsed.state.place, 3);
  assert.equal(answer(browsed.press("previous"), 2, "batch").state.place, 1);
});

test("an item that is judged, which the server does not know yet, is passed over", () => {
  const desk = new TestDesk("ooo", { missing: [2] });
  const message = { instance: "21", place: 2, key: "k", after: "", word: "0" } as Decision;
  desk.do({ type: "answered", message, judgment: message }).press("3");
  assert.equal(answer(desk, 2, "batch", true).state.place, 3);
});

test("while the server is away, judging goes on with what is ready", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("3"), 2, "away");
  assert.equal(desk.state.place, 3);
});

test("if nothing is ready the page says that the item is loading, till it comes", () => {
  const desk = answer(new TestDesk("oo", { missing: [2] }).press("3"), 2, "away");
  assert.deepEqual([desk.state.goal?.place, desk.state.goal?.wait, desk.state.isBusy], [2, "late", false]);
  answer(answer(desk, 2, "away"), 2, "batch", true);
  assert.deepEqual([desk.state.place, desk.state.goal], [2, undefined]);
});

test("what was meant for an item that is not here changes nothing, but undo takes back", () => {
  const desk = answer(new TestDesk("oo", { missing: [2] }).press("3"), 2, "away");
  for (const command of ["0", "do_not_know", "same", "defer"]) {
    assert.equal(said(desk.press(command)), "already");
  }
  assert.deepEqual([desk.words, desk.press("undo").words, desk.state.goal], [["3"], [""], undefined]);
});

test("a server that does not answer holds the keys up only for a while", () => {
  const desk = new TestDesk("oo", { missing: [2] }).press("3");
  assert.ok(desk.state.isBusy);
  desk.do({ type: "slow", wish: desk.state.wish });
  assert.deepEqual([desk.state.isBusy, desk.state.goal?.wait], [false, "late"]);
});

test("without a session the item is wanted until the assessor refuses to sign in", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("3"), 2, "session");
  assert.deepEqual([desk.state.outbox.mode, desk.state.goal?.place, desk.state.isBusy], ["session", 2, true]);
  desk.do({ type: "givenUp", wish: desk.state.wish });
  assert.deepEqual([desk.state.goal, desk.state.isBusy], [undefined, false]);
});

test("a topic that was taken back brings no more items", () => {
  const desk = answer(new TestDesk("ooo", { missing: [2] }).press("next"), 2, "gone");
  assert.deepEqual([desk.state.isClosed, desk.state.place, said(desk)], [true, 1, "closed"]);
});

test("an item is on the screen when it is painted and the decision before it is stored", () => {
  const desk = new TestDesk("oo").pressAtOnce("3");
  desk.do({ type: "painted" });
  assert.deepEqual([desk.state.place, desk.state.painted, desk.state.isBusy], [2, 1, true]);
  desk.do({ type: "stored", key: desk.messages[0]!.key });
  assert.deepEqual([desk.state.painted, desk.state.isBusy], [2, false]);
});
