import assert from "node:assert/strict";
import { test } from "node:test";
import { TestDesk } from "./desk.testing";
import { Draft } from "./state";

const said = (desk: TestDesk): string => desk.state.said.word;
const keysOf = (desk: TestDesk): string[] => desk.decided.map(([instance, word]) => `${instance} ${word}`);

test("keys for the posts on the screen count one after the other", () => {
  const desk = new TestDesk("oo", { posts: 3 }).pressAtOnce("3", "2", "same").catchUp();
  assert.deepEqual([keysOf(desk), desk.state.place], [["11 3", "12 2", "13 2"], 2]);
});

test("a key for an item that nobody has seen is ignored, and the status line says so", () => {
  const desk = new TestDesk("oo", { posts: 3 }).pressAtOnce("3", "2", "1", "0").catchUp();
  assert.deepEqual([keysOf(desk), desk.state.painted, said(desk)], [["11 3", "12 2", "13 1"], 2, "early"]);
  assert.equal(said(new TestDesk("ooo").pressAtOnce("3", "3", "3").catchUp()), "early");
});

test("a second press of a key does not judge the next item, which has hardly come into view", () => {
  const desk = new TestDesk("ooo").press("3");
  for (const command of ["3", "do_not_know", "defer"]) {
    assert.deepEqual([keysOf(desk.pressAfter(60, command)), desk.state.place, said(desk)], [["11 3"], 2, "early"]);
  }
  assert.deepEqual(keysOf(desk.pressAfter(120, "2")), ["11 3", "21 2"], "300 ms after it came into view");
  assert.equal(new TestDesk("ooo").press("3").pressAfter(10, "next").state.place, 3, "it can be passed over at once");
  assert.equal(new TestDesk("ooo").press("3").pressAfter(10, "undo").state.place, 1, "and the last judgment undone");
});

test("a double click or tap does not judge the next item, nor the next post of this one", () => {
  const desk = new TestDesk("ooo").click("11", "3");
  for (const after of [80, 60, 60, 60]) {
    assert.deepEqual([keysOf(desk.click("21", "3", after)), said(desk)], [["11 3"], "early"], "up to 280 ms");
  }
  assert.deepEqual(keysOf(desk.click("21", "2", 100)), ["11 3", "21 2"]);
  const posts = new TestDesk("oo", { posts: 3 }).click("11", "3").click("12", "3", 280);
  assert.deepEqual([keysOf(posts), said(posts)], [["11 3"], "early"]);
  assert.deepEqual(keysOf(posts.click("12", "2", 100)), ["11 3", "12 2"]);
  assert.deepEqual(keysOf(posts.click("12", "1", 20)), ["11 3", "12 2", "12 1"], "a slip is mended at once");
});

test("a double click on the same button counts once, and one undo takes it back", () => {
  const desk = new TestDesk("oo", { posts: 2 }).click("11", "3").click("11", "3", 100);
  assert.deepEqual([keysOf(desk), desk.state.history.length], [["11 3"], 1]);
  assert.deepEqual(desk.press("undo").words, ["", ""]);
});

test("a double click on undo takes one decision back", () => {
  const desk = new TestDesk("oo", { posts: 3 }).press("3", "2").do({ type: "press", choice: "undo" }).do({ type: "press", choice: "undo" });
  assert.deepEqual(desk.words, ["3", "", ""]);
  assert.deepEqual(desk.do({ type: "press", choice: "undo" }, 300).words, ["", "", ""]);
});

test("a key without a meaning is told once on a page", () => {
  const desk = new TestDesk("oo").press("unknown");
  assert.equal(said(desk), "no_key");
  assert.equal(said(desk.press("3", "unknown")), "decided");
  assert.deepEqual(keysOf(desk), ["11 3"]);
});

test("the first item of a page, and the posts of one item, are judged at once", () => {
  assert.deepEqual(keysOf(new TestDesk("oo").pressAfter(0, "3")), ["11 3"]);
  const desk = new TestDesk("oo", { posts: 3 }).pressAfter(0, "3").pressAfter(10, "2").pressAfter(10, "1");
  assert.deepEqual(keysOf(desk), ["11 3", "12 2", "13 1"]);
});

test("the note about an ignored key goes after a while", () => {
  const desk = new TestDesk("ooo").press("3").pressAfter(60, "3");
  assert.deepEqual(desk.effects.at(-1), { kind: "calm" });
  assert.equal(said(desk.do({ type: "calmed" }, 3000)), "report");
  const judged = new TestDesk("ooo").press("3").pressAfter(60, "3").press("2");
  assert.ok(said(judged) !== "early");
  const before = judged.state.said;
  assert.equal(judged.do({ type: "calmed" }).state.said, before);
});

test("undo does not depend on what is on the screen", () => {
  const desk = new TestDesk("oo").pressAtOnce("3", "undo").catchUp();
  assert.deepEqual([desk.state.place, desk.words, said(desk)], [1, [""], "undone"]);
});

test("a key that came before the box of reasons is ignored", () => {
  const desk = new TestDesk("oo", { posts: 3 }).pressAtOnce("3", "do_not_know", "1").catchUp();
  assert.ok(desk.state.asking);
  desk.why(undefined);
  assert.deepEqual([keysOf(desk), said(desk)], [["11 3"], "early"]);
  assert.ok(new TestDesk("oo").pressAtOnce("do_not_know", "1").catchUp().state.asking);
});

test("a number right after an outcome that needs several posts is no grade", () => {
  const desk = new TestDesk("oo").pressAtOnce("not_matching", "2").catchUp();
  assert.deepEqual([desk.decided, said(desk)], [[], "no_match"]);
  assert.deepEqual(keysOf(desk.press("1")), ["11 1"]);
});

test("a key that means nothing here says why", () => {
  assert.equal(said(new TestDesk("oo").press("not_matching")), "no_match");
  assert.equal(said(new TestDesk("oo").press("9")), "no_grade");
  assert.equal(said(new TestDesk("oo", { list: [1] }).press("next")), "walk_end");
});

test("keys of the page are left to the page", () => {
  for (const command of ["comment", "thread", "keys", "guide"]) {
    assert.deepEqual(new TestDesk("oo").press(command).effects.at(-1), { kind: "perform", command });
  }
});

test("a topic that was taken back can be read, and each key that would decide says why it does not", () => {
  const desk = new TestDesk("oo").do({ type: "close" }).press("next");
  assert.deepEqual([desk.state.place, said(desk)], [2, "closed"]);
  for (const command of ["1", "do_not_know", "not_matching", "same", "undo", "defer", "comment"]) {
    const before = desk.state.said;
    assert.equal(said(desk.press(command)), "closed");
    assert.ok(desk.state.said !== before, "said again");
  }
  assert.deepEqual(desk.messages, []);
});

test("the first key shows an item below the question that nobody has seen, and judges nothing", () => {
  const desk = new TestDesk("oo");
  desk.state = { ...desk.state, isUnseen: new Draft(desk.state.page).isUnseen };
  assert.deepEqual([said(desk.press("3")), desk.decided], ["unseen", []]);
  assert.deepEqual(keysOf(desk.press("3")), ["11 3"]);
});

test("an item that is judged already is shown without a word", () => {
  const desk = new TestDesk("jo");
  desk.state = { ...desk.state, isUnseen: true };
  assert.deepEqual([said(desk.press("3")), desk.decided], ["", []]);
});
