import assert from "node:assert/strict";
import { test } from "node:test";
import { item, TestDesk } from "./desk.testing";
import type { Decision, Judgment } from "./messages";

const elsewhere: Judgment = { word: "0", comment: "", key: "theirs" };
const judgedElsewhere = { ...item(1), cards: item(1).cards.map((card) => ({ ...card, judgment: elsewhere })) };

test("what another window judged or deferred is shown", () => {
  const desk = new TestDesk("ooo");
  desk.do({ type: "news", states: "jjd", deferred: [3], item: judgedElsewhere, waiting: [] });
  assert.deepEqual([desk.words, desk.state.places.states], [["0"], "jod"]); // the second when its item comes
});

test("a key changes what another window judged only when it is pressed again", () => {
  const decision = { instance: "11", place: 1, key: "theirs", after: "", word: "0" } as Decision;
  for (const learns of [{ type: "answered", message: decision, judgment: elsewhere } as const,
    { type: "news", states: "joo", deferred: [], item: judgedElsewhere, waiting: [] } as const]) {
    const desk = new TestDesk("ooo").do(learns).press("3");
    assert.deepEqual([desk.words, desk.state.said.word, desk.messages], [["0"], "other_window", []]);
    assert.deepEqual([desk.press("3").words, desk.state.place], [["3"], 1]);
  }
  const later = new TestDesk("ooo").do({ type: "answered", message: decision, judgment: elsewhere }).press("next", "previous");
  assert.deepEqual(later.press("3").words, ["3"], "it came on the screen judged");
});

test("an item in stock that was judged in another window is out of date", () => {
  const desk = new TestDesk("oooo").do({ type: "stocked", places: [2, 3, 4], expected: [2, 3, 4] });
  desk.do({ type: "news", states: "ojod", deferred: [4], waiting: [] });
  assert.deepEqual([...desk.state.stock], [3]);
});

test("what the server does not have yet is not undone", () => {
  const desk = new TestDesk("ooo", { posts: 2 }).press("2");
  desk.do({ type: "news", states: "ooo", deferred: [], item: item(1, 2), waiting: desk.messages.slice() });
  assert.deepEqual(desk.words, ["2", ""]);
});

test("an answer about an earlier decision does not hide a later one", () => {
  const desk = new TestDesk("jo").press("2", "1", "0");
  const [first, , last] = desk.messages as Decision[];
  desk.do({ type: "answered", message: first!, judgment: first! });
  assert.deepEqual(desk.words, ["0"]);
  desk.do({ type: "answered", message: { ...last!, key: "other", after: last!.key }, judgment: elsewhere });
  assert.deepEqual(desk.words, ["0"]);
  assert.equal(desk.card.judgment.key, "theirs");
});

test("an item that comes later shows what was decided in another window", () => {
  const desk = new TestDesk("oo", { missing: [2] });
  const message = { instance: "21", place: 2, key: "theirs", after: "", word: "0" } as Decision;
  desk.do({ type: "answered", message, judgment: elsewhere }).do({ type: "received", items: [item(2)], expected: [2] });
  assert.deepEqual([desk.state.places.states, desk.press("next").words], ["oj", ["0"]]);
});

test("another person's judgment of an open card keeps what is written until it is decided", () => {
  const desk = new TestDesk("oo").write("half a thought");
  desk.do({ type: "replaced", item: item(1), judgment: { word: "", comment: "", key: "theirs" }, instance: "11" });
  assert.equal(desk.card.judgment.key, "theirs");
});
