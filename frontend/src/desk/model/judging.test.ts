import assert from "node:assert/strict";
import { test } from "node:test";
import { card, item, REASONS, SCALE, TestDesk } from "./desk.testing";
import type { Item } from "./state";
import { ownWords, withReason } from "./comments";
import { isDecision, newKey } from "./messages";
import { reportOf, textOf } from "./report";

const said = (desk: TestDesk): string => desk.state.said.word;

test("a key judges the current card, then the next card, then the next item", () => {
  const desk = new TestDesk("oo", { posts: 2 }).press("3", "2");
  assert.deepEqual(desk.decided, [["11", "3", ""], ["12", "2", ""]]);
  assert.deepEqual([desk.state.place, desk.state.current, desk.state.places.states], [2, "21", "jo"]);
});

test("keys of decisions are 32 letters and digits, each different", () => {
  const keys = Array.from({ length: 1000 }, newKey);
  assert.ok(keys.every((key) => /^[0-9a-f]{32}$/.test(key)));
  assert.equal(new Set(keys).size, 1000);
});

test("each decision follows the judgment that the assessor saw, and has its own key", () => {
  const desk = new TestDesk("jo").press("0", "1");
  const [first, second] = desk.messages as { key: string; after: string }[];
  assert.deepEqual([first!.after, second!.after], ["server-11", first!.key]);
  assert.ok(first!.key !== second!.key);
});

test("a changed item stays on the screen, with the next card", () => {
  const desk = new TestDesk("jo", { posts: 3 }).press("0");
  assert.deepEqual([desk.state.place, desk.state.current, desk.words], [1, "12", ["0", "3", "3"]]);
});

test("what is taken back stays current, so the next key judges it", () => {
  const desk = new TestDesk("jo", { posts: 3 }).click("11", "").press("1");
  assert.deepEqual([desk.state.place, desk.words], [2, ["", "", ""]]);
  assert.deepEqual(desk.press("previous").words, ["1", "3", "3"]);
});

test("after the last judgment the desk leaves when the server has everything, unless it was undone before", () => {
  const desk = new TestDesk("o").press("3");
  assert.deepEqual([said(desk), desk.has("leave")], ["end", false]);
  assert.ok(desk.sent().has("leave"));
  assert.ok(!new TestDesk("o").press("3", "undo").sent().has("leave"));
});

test("the last judgment is not changed by a key that was meant for what comes next", () => {
  const desk = new TestDesk("o").press("3", "0");
  assert.deepEqual([said(desk), desk.words], ["already", ["3"]]);
});

test("nothing can be repeated before the first post, and the status line says what to do", () => {
  assert.equal(said(new TestDesk("o", { posts: 3 }).press("same")), "first");
  assert.equal(said(new TestDesk("j", { posts: 3 }).press("same")), "at_first");
  assert.equal(said(new TestDesk("o").press("same")), "single");
});

test("the same for the rest judges all open posts and shows the next item", () => {
  const desk = new TestDesk("oo", { posts: 3 }).press("2", "same");
  assert.deepEqual(desk.decided.map(([instance, word]) => instance + word), ["112", "122", "132"]);
  assert.equal(desk.state.place, 2);
});

test("the same for the rest changes all posts that follow if none is open", () => {
  const desk = new TestDesk("jo", { posts: 3 }).press("0", "same");
  assert.deepEqual([desk.words, desk.state.place], [["0", "0", "0"], 1]);
  desk.turnTo("12").press("1");
  assert.deepEqual(desk.words, ["0", "1", "0"]);
});

test("what is written at posts stays theirs when the rest get the same, and when that is undone", () => {
  const desk = new TestDesk("oo", { posts: 3 }).write("first", "11").write("second", "12").press("2", "same");
  assert.deepEqual(desk.decided.map(([, , comment]) => comment), ["first", "second", "first"]);
  desk.press("undo");
  assert.deepEqual([desk.state.place, desk.state.current, desk.words, desk.texts], [1, "12", ["2", "", ""], ["first", "second", ""]]);
});

test("a comment that went to all is corrected for all", () => {
  const desk = new TestDesk("jo", { items: [item(1, 3, "2", "A")] }).write("B");
  desk.do({ type: "commented", place: 1, instance: "11" }).turnTo("12").press("same");
  assert.deepEqual(desk.texts, ["B", "B", "B"]);
});

test("a reason for all comes before what is written at a post", () => {
  const desk = new TestDesk("oo", { posts: 3 }).write("second", "12").press("not_matching").why(REASONS[2]).press("same");
  assert.deepEqual(desk.decided.map(([, , comment]) => comment), [REASONS[2], `${REASONS[2]}: second`, REASONS[2]]);
});

test("an outcome asks for a reason, with what is written so far; leaving the box decides nothing", () => {
  const desk = new TestDesk("oo").write("odd").press("do_not_know");
  assert.deepEqual(desk.effects.at(-1), { kind: "askWhy", word: "do_not_know", comment: "odd", isNeeded: true });
  desk.why(undefined);
  assert.deepEqual([desk.decided, desk.texts], [[], ["odd"]]);
  desk.press("do_not_know").why("why: odd");
  assert.deepEqual(desk.decided, [["11", "do_not_know", "why: odd"]]);
});

test("every outcome asks for a reason, and not matching needs none", () => {
  const asked = ["do_not_know", "system_failure", "not_matching"].map((word) => new TestDesk("oo", { posts: 2 }).press(word).effects.at(-1));
  assert.deepEqual(asked.map((effect) => effect?.kind === "askWhy" && effect.isNeeded), [true, true, false]);
});

test("a grade that settles a disagreement asks for a reason, unless one is typed; changing it asks again", () => {
  const settle = (items?: Item[]): TestDesk => new TestDesk("oo", { isSettling: true, items });
  const asked = settle().press("2");
  assert.deepEqual(asked.effects.at(-1), { kind: "askWhy", word: "2", comment: "", isNeeded: true });
  assert.deepEqual(asked.decided, []);
  assert.deepEqual(asked.why("too strict").decided, [["11", "2", "too strict"]]);
  assert.deepEqual(settle().write("typed").press("2").decided, [["11", "2", "typed"]]);
  const changed = settle([item(1, 1, "3", "my words")]).press("2");
  assert.deepEqual(changed.effects.at(-1), { kind: "askWhy", word: "2", comment: "my words", isNeeded: true });
  assert.deepEqual(new TestDesk("oo").press("2").decided, [["11", "2", ""]]);
});

test("if grades need a reason, a grade counts right after a move to another item", () => {
  const desk = new TestDesk("ooo", { isSettling: true }).press("next").pressAfter(500, "2");
  assert.equal(desk.effects.at(-1)?.kind, "askWhy");
});

test("the reason of a settled grade cannot be emptied, nor is a text that is missing the reason", () => {
  const desk = new TestDesk("jo", { isSettling: true, items: [item(1, 1, "3", "my words")] }).write("");
  desk.do({ type: "commented", place: 1, instance: "11" });
  assert.deepEqual([desk.decided, desk.texts], [[], ["my words"]]);
  const missing = { ...card("11", "", "no text"), filledIn: "no text" };
  const without = new TestDesk("oo", { isSettling: true, items: [{ place: 1, shownAt: 0, cards: [missing] }] }).press("2", "2");
  assert.deepEqual(without.effects.at(-1), { kind: "askWhy", word: "2", comment: "", isNeeded: true });
});

test("a document without text takes one key", () => {
  const missing = { ...card("11", "", "no text"), filledIn: "no text" };
  const desk = new TestDesk("oo", { items: [{ place: 1, shownAt: 0, cards: [missing] }] }).press("system_failure");
  assert.deepEqual(desk.decided, [["11", "system_failure", "no text"]]);
});

test("a document without text gets a grade only on the second try", () => {
  const missing = { ...card("11", "", "no text"), filledIn: "no text" };
  const desk = new TestDesk("oo", { items: [{ place: 1, shownAt: 0, cards: [missing] }] }).press("2");
  assert.deepEqual([desk.decided, desk.state.place, said(desk)], [[], 1, "no_text"]);
  assert.deepEqual(desk.press("1").decided, [["11", "1", "no text"]]);
});

test("nor does it get a grade from the post before it, except on the second try", () => {
  const missing = { ...card("12", "", "no text"), filledIn: "no text" };
  const desk = new TestDesk("oo", { items: [{ place: 1, shownAt: 0, cards: [card("11"), missing, card("13")] }] }).press("2", "same");
  assert.deepEqual([desk.words, said(desk)], [["2", "", ""], "no_text"]);
  assert.deepEqual(desk.press("same").decided.map(([instance]) => instance), ["11", "12", "13"]);
});

test("the reason of an outcome is no comment on a grade, but own words are", () => {
  const judged = (comment: string): TestDesk => new TestDesk("jo", { items: [item(1, 1, "do_not_know", comment)] }).press("2");
  assert.deepEqual(judged(REASONS[0]!).decided, [["11", "2", ""]]);
  assert.deepEqual(judged(`${REASONS[0]}, the notation`).decided, [["11", "2", "the notation"]]);
  assert.deepEqual(judged("my words").decided, [["11", "2", "my words"]]);
  assert.equal(ownWords("The question is unclearly put", REASONS), "The question is unclearly put");
  assert.equal(withReason(REASONS[1]!, `${REASONS[0]}: line 2`, REASONS), "The question is unclear: line 2");
});

test("a comment can be changed, but not emptied if the outcome needs one", () => {
  const desk = new TestDesk("uo", { items: [item(1, 1, "do_not_know", "why")] }).write(" ");
  desk.do({ type: "commented", place: 1, instance: "11" });
  assert.deepEqual([desk.decided, desk.texts], [[], ["why"]]);
  desk.write("because ").do({ type: "commented", place: 1, instance: "11" });
  assert.deepEqual(desk.decided, [["11", "do_not_know", "because"]]);
});

test("a comment is there again when its judgment is taken back or undone", () => {
  const desk = new TestDesk("oo").write("Line 2 is odd.").press("3", "undo");
  assert.deepEqual([desk.words, desk.texts], [[""], ["Line 2 is odd."]]);
  desk.press("2", "previous").click("11", "");
  assert.deepEqual([desk.words, desk.texts, desk.card.draft], [[""], ["Line 2 is odd."], "Line 2 is odd."]);
});

test("undo brings back one key after the other: deferrals, changes, judgments", () => {
  const desk = new TestDesk("oooo").press("3", "defer", "previous", "0");
  assert.deepEqual([desk.state.place, desk.words, desk.state.places.states], [3, [""], "jjoo"]);
  desk.press("undo");
  assert.deepEqual([desk.state.place, desk.state.places.states], [2, "jdoo"]);
  desk.press("undo");
  assert.deepEqual([desk.state.place, desk.state.places.states, said(desk)], [2, "jooo", "undone"]);
  desk.press("undo");
  assert.deepEqual([desk.state.place, desk.state.places.states], [1, "oooo"]);
  assert.equal(said(desk.press("undo")), "nothing");
});

test("undo of a change for all that follow brings each grade before back, then the change before it", () => {
  const graded = item(1, 3);
  const cards = graded.cards.map((post, index) => ({ ...post, judgment: { word: "321"[index]!, comment: "", key: `k${index}` } }));
  const desk = new TestDesk("jo", { posts: 3, items: [{ ...graded, cards }] }).press("0", "same", "undo");
  assert.deepEqual([desk.words, desk.state.current], [["0", "2", "1"], "12"]);
  assert.deepEqual(desk.press("undo").words, ["3", "2", "1"]);
});

test("undo leaves what was judged elsewhere meanwhile and takes the rest back", () => {
  const desk = new TestDesk("oo", { posts: 3 }).press("2", "same", "previous");
  const [, message] = desk.messages;
  desk.do({ type: "answered", message: message!, judgment: { word: "0", comment: "", key: message!.key } }).press("undo");
  assert.deepEqual([desk.words, desk.state.said], [["2", "0", ""], { word: "undone_all", manner: "good", numbers: [1, 2] }]);
  assert.equal(textOf(desk.state.said, { undone_all: "Posts undone:", place: "of" }, SCALE), "Posts undone: 1 of 2");
});

test("a deferred item comes back at the end, and the next deferred ones in the order of their list", () => {
  const desk = new TestDesk("oooo").press("defer", "3", "2", "1");
  assert.deepEqual([desk.state.place, desk.state.places.deferred.has(1)], [1, true]);
  const listed = new TestDesk("oddoo", { place: 2, list: [2, 3], deferred: [2, 3] }).press("3");
  assert.equal(listed.state.place, 3);
  assert.equal(listed.press("3").state.place, 4);
});

test("a decision that the browser cannot store is reversed", () => {
  const desk = new TestDesk("oo").write("odd").pressAtOnce("3");
  desk.do({ type: "notStored", key: desk.messages[0]!.key, error: "full" }).catchUp();
  assert.deepEqual([desk.state.place, desk.words, desk.texts, said(desk)], [1, [""], ["odd"], "unsafe"]);
});

test("what the browser could not store does not wait, and undo passes over it", () => {
  const fail = (desk: TestDesk, ...commands: string[]): TestDesk => {
    desk.messages.length = 0;
    desk.pressAtOnce(...commands);
    if (desk.state.paints) desk.do({ type: "painted" });
    desk.messages.forEach(({ key }) => desk.do({ type: "notStored", key, error: "full" }));
    return desk.catchUp();
  };
  for (const command of ["3", "defer"]) {
    const desk = fail(new TestDesk("oo"), command);
    assert.deepEqual([desk.state.outbox.waiting, said(desk.press("undo"))], [0, "nothing"]);
  }
  const desk = fail(new TestDesk("oo", { posts: 2 }).press("3", "same").sent(), "undo");
  assert.deepEqual([desk.words, desk.state.outbox.waiting], [["3", "3"], 0]);
  assert.deepEqual(desk.press("undo").words, ["3", ""], "and an undo that failed can be tried again");
});

test("what was decided is said at once, of several documents with their numbers", () => {
  const told = ({ state }: TestDesk): string => textOf(state.said, { place: "of", not_judged: "not judged" }, SCALE);
  assert.equal(told(new TestDesk("oo").press("1")), "1: Low");
  assert.equal(told(new TestDesk("oo", { posts: 3 }).press("3", "1")), "1 (2 of 3): Low");
  assert.equal(told(new TestDesk("oo", { posts: 3 }).press("3", "same")), "1 (2, 3 of 3): High");
  assert.equal(told(new TestDesk("jo").click("11", "")), "1: not judged");
});

test("the status line reports what waits before what is saved", () => {
  const words = { waiting: "waiting", not_kept: "not saved", offline: "offline", saved: "Saved", else_saved: "the rest saved" };
  const desk = new TestDesk("oo").press("3");
  const report = (waiting: number, unkept: number, mode: "idle" | "away"): unknown =>
    reportOf(desk.do({ type: "outbox", report: { waiting, unkept, unsettled: 0, mode } }).state, words, false);
  assert.deepEqual(report(2, 0, "away"), ["offline, 2 waiting", "waiting"]);
  assert.deepEqual(report(1, 0, "idle"), undefined);
  assert.deepEqual(report(0, 1, "idle"), ["1 not saved, the rest saved", "bad"]);
  assert.deepEqual(report(0, 0, "idle"), ["1: High", "good", "3"]);
  const state = { ...desk.state, places: { ...desk.state.places, absent: new Set([2]) } } as typeof desk.state;
  assert.deepEqual(reportOf(state, { ...words, absent: "not available:" }, true), ["1: High, not available: 2", "waiting", "3"]);
});

test("a marked passage goes with the judgment, and comes back with it", () => {
  const desk = new TestDesk("oo");
  const passages = (): (string | undefined)[] => desk.messages.filter(isDecision).map(({ passage }) => passage);
  desk.do({ type: "mark", text: "a proof" }).press("2", "previous");
  assert.deepEqual([passages(), desk.card.passage], [["a proof"], "a proof"]);
  desk.do({ type: "mark", text: "" });
  assert.deepEqual([passages(), desk.card.passage], [["a proof", ""], ""]);
  desk.do({ type: "mark", text: "" });
  assert.equal(desk.state.said.word, "no_passage");
  desk.do({ type: "mark", text: "a sum" }).press("1", "undo");
  assert.deepEqual([desk.card.judgment.word, desk.card.passage], ["2", "a sum"]);
});
