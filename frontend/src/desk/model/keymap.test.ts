import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFor, commandOf, DEFAULTS, remapped } from "./keymap";

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

const press = (key: string, code: string, shiftKey = false): string | undefined => commandFor({ key, code, shiftKey }, DEFAULTS);

test("keys of other layouts count by their place", () => {
  const layouts = { AZERTY: ["à", "&", "é", '"'], Czech: ["é", "+", "ě", "š"] };
  for (const [layout, keys] of Object.entries(layouts)) {
    assert.deepEqual(keys.map((key, digit) => press(key, `Digit${digit}`)), ["grade-0", "grade-1", "grade-2", "grade-3"], layout);
  }
  const pad = ["Insert", "End", "ArrowDown", "PageDown"];
  assert.deepEqual(pad.map((key, digit) => press(key, `Numpad${digit}`)), ["grade-0", "grade-1", "grade-2", "grade-3"]);
  for (const key of ["в", "В", "δ", "ג"]) assert.equal(press(key, "KeyD"), "do_not_know");
});

test("letters of Latin layouts, and digits with Shift, are what they are", () => {
  assert.equal(press("e", "KeyD"), undefined, "Dvorak");
  assert.equal(press("d", "KeyH"), "do_not_know", "Dvorak");
  assert.equal(press("q", "KeyA"), "ask", "AZERTY");
  assert.equal(press("a", "KeyQ"), undefined, "AZERTY");
  assert.equal(press("!", "Digit1", true), undefined);
  assert.equal(press("?", "Slash", true), "keys");
  assert.equal(press("ArrowLeft", "Numpad4"), "previous", "no grade 4");
});

test("a key of one's own comes before its place", () => {
  assert.equal(commandFor({ key: "é", code: "Digit2", shiftKey: false }, { ...DEFAULTS, undo: "é" }), "undo");
});
