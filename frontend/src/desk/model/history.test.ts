import assert from "node:assert/strict";
import { test } from "node:test";
import { takeLast, type History, type HistoryEntry } from "./history";

const decided = (instance: string, isSame = false): HistoryEntry => ({
  place: 1,
  instance,
  word: "3",
  comment: "",
  draft: "",
  before: { word: "", comment: "", key: "" },
  isSame,
});
const off: HistoryEntry = { place: 2, isOff: true };

test("what one key did is taken off at once, and nothing else", () => {
  const [first, second, third] = [decided("110"), decided("120"), decided("210", true)];
  const entries: History = [off, first, second, third];
  assert.deepEqual(takeLast(entries), [[off, first], [second, third]]);
  assert.deepEqual(takeLast([off, first]), [[off], [first]]);
  assert.deepEqual(takeLast([off]), [[], [off]]);
  assert.deepEqual(takeLast([]), [[], []]);
});

test("if the beginning is no longer known the rest is taken off", () => {
  assert.equal(takeLast([decided("120", true), decided("210", true)])[1].length, 2);
});
