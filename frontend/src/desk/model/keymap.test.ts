import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, DEFAULTS, remapped } from "./keymap";

test("no two commands have the same key", () => {
  const keys = Object.values(DEFAULTS);
  assert.equal(new Set(keys).size, keys.length);
});

test("the command that had the key gets the other one", () => {
  const map = remapped(DEFAULTS, "undo", "d");
  assert.deepEqual([map.undo, map.do_not_know], ["d", "u"]);
  assert.equal(remapped(DEFAULTS, "undo", "x").undo, "x");
  assert.deepEqual(remapped(DEFAULTS, "undo", "u"), DEFAULTS);
});

test("grades are commands of their own", () => {
  assert.deepEqual(["3", "0", "do_not_know"].map(commandOf), ["grade-3", "grade-0", "do_not_know"]);
});
