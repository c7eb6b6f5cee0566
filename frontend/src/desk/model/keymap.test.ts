import assert from "node:assert/strict";
import { test } from "node:test";
import { SCALE } from "./desk.testing";
import { chosenIn, commandFor, commandOf, keysOf, ownKeys, remapped } from "./keymap";
import type { Scale } from "./scale";

const DEFAULTS = keysOf(SCALE);

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
  assert.deepEqual(["3", "-2", "10", "do_not_know"].map(commandOf), ["grade-3", "grade--2", "grade-10", "do_not_know"]);
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

test("the keys of the mathematical labs", () => {
  const expected = {
    "grade-3": "3", "grade-2": "2", "grade-1": "1", "grade-0": "0", do_not_know: "d", system_failure: "f", not_matching: "n",
    same: "r", formula: "m", undo: "u", defer: "s", next: "j", previous: "k", thread: "t", comment: "c", marks: "/", guide: "g",
    ask: "q", keys: "?", passage: "p",
  };
  assert.deepEqual(DEFAULTS, expected);
});

const WEB: Scale = {
  grades: [["10", ""], ["3", "H"], ["2", ""], ["1", "u"], ["0", ""], ["-1", ""], ["-2", ""]],
  outcomes: [["do_not_know", "needed"], ["off_topic", ""], ["duplicate", "asked"]],
  names: {},
  hasThreads: false,
};

test("each grade and outcome of any scale has a key, and nobody else has it", () => {
  const map = keysOf(WEB);
  assert.equal(new Set(Object.values(map)).size, Object.keys(map).length);
  const grades = ["10", "3", "2", "1", "0", "-1", "-2"].map((word) => map[commandOf(word)]);
  assert.deepEqual(grades, ["-", "h", "2", "u", "0", "=", "a"]);
  assert.deepEqual([map.do_not_know, map.off_topic, map.duplicate, map.undo], ["d", "o", "p", "n"]);
  assert.deepEqual([map.formula, map.thread, map.same], [undefined, undefined, undefined]);
});

test("own keys hold in every lab, and none is given twice", () => {
  const own = ownKeys(remapped(DEFAULTS, "undo", "3"), DEFAULTS, { off_topic: "x" });
  assert.deepEqual(own, { undo: "3", "grade-3": "u", off_topic: "x" });
  const { undo, off_topic, ...map } = keysOf(WEB, own);
  assert.deepEqual([undo, off_topic, map["grade-3"], map["grade-1"]], ["3", "x", "u", "1"]);
  assert.deepEqual(chosenIn({ ...DEFAULTS, undo: "z" }), { undo: "z" }, "as earlier versions remember it");
});
