import assert from "node:assert/strict";
import { test } from "node:test";
import { takeLast, type Done } from "./past";

const decided = (instance: string, isSame = false): Done => ({
  place: 1,
  instance,
  word: "3",
  comment: "",
  draft: "",
  before: { word: "", comment: "", key: "" },
  isSame,
});
const off: Done = { place: 2, isOff: true };

test("what one key did comes off at once, and nothing else", () => {
  const [first, second, third] = [decided("110"), decided("120"), decided("210", true)];
  const past = [off, first, second, third];
  assert.deepEqual(takeLast(past), [second, third]);
  assert.deepEqual(takeLast(past), [first]);
  assert.deepEqual(takeLast(past), [off]);
  assert.deepEqual([takeLast(past), past], [[], []]);
});

test("where the beginning is no longer known the rest comes off", () => {
  const past = [decided("120", true), decided("210", true)];
  assert.equal(takeLast(past).length, 2);
});
