import assert from "node:assert/strict";
import { test } from "node:test";
import { afterKey, atPointer } from "./divider";

test("the divider is at the pointer, in percent of the desk", () => {
  assert.equal(atPointer(400, 0, 1000), 40);
  assert.equal(atPointer(460, 100, 900), 40);
  assert.equal(atPointer(333, 0, 1000), 33.3);
});

test("neither pane gets less than a quarter", () => {
  assert.equal(atPointer(-50, 0, 1000), 25);
  assert.equal(atPointer(999, 0, 1000), 75);
});

test("close to the middle it is the middle", () => {
  assert.equal(atPointer(509, 0, 1000), 50);
  assert.equal(atPointer(490, 0, 1000), 50);
  assert.equal(atPointer(512, 0, 1000), 51.2);
});

test("arrows move it a little, Home and End all the way, Enter back", () => {
  assert.deepEqual(
    ["ArrowLeft", "ArrowRight", "Home", "End", "Enter"].map((key) => afterKey(key, 40)),
    [38, 42, 25, 75, 50],
  );
  assert.equal(afterKey("ArrowLeft", 26), 25);
  assert.equal(afterKey("ArrowRight", 75), 75);
});

test("other keys do not move it", () => {
  assert.equal(afterKey("3", 40), undefined);
  assert.equal(afterKey("ArrowUp", 40), undefined);
});
