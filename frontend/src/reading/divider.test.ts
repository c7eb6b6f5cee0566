import assert from "node:assert/strict";
import { test } from "node:test";
import { afterKey, atPointer } from "./divider";

test("the divider is at the pointer, in percent of the desk; neither pane gets less than a quarter", () => {
  assert.deepEqual([400, 333, -50, 999].map((x) => atPointer(x, 0, 1000)), [40, 33.3, 25, 75]);
  assert.equal(atPointer(460, 100, 900), 40);
});

test("close to the middle it is the middle", () => {
  assert.deepEqual([429, 410, 432].map((x) => atPointer(x, 0, 1000)), [42, 42, 43.2]);
});

test("arrows move it a little, Home and End all the way, Enter back, and other keys not at all", () => {
  const keys = ["ArrowLeft", "ArrowRight", "Home", "End", "Enter", "3", "ArrowUp"];
  assert.deepEqual(keys.map((key) => afterKey(key, 40)), [38, 42, 25, 75, 42, undefined, undefined]);
  assert.deepEqual([afterKey("ArrowLeft", 26), afterKey("ArrowRight", 75)], [25, 75]);
});
