import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, isAmong, isSymbol, selectorOf, symbolsAmong, written } from "./symbols";

const x = drawn("mi", ["I-1D465"]);
const sine = drawn("mi", ["N-73", "N-69", "N-6E"]);

test("letters, named functions and operators with a meaning are symbols", () => {
  assert.equal(sine.text, "sin");
  for (const sign of [x, sine, drawn("mo", ["LO-2211"]), drawn("mo", ["N-2208"]), written("mi", "x")]) {
    assert.ok(isSymbol(sign), sign.text);
  }
});

test("numbers, words, brackets, plain arithmetic and invisible operators are none", () => {
  const others = [drawn("mn", ["N-32"]), drawn("mtext", ["N-61"]), drawn("mo", ["S1-28"]), drawn("mo", ["N-2B"])];
  for (const sign of [...others, drawn("mo", ["N-2061"]), written("mo", "="), written("mi", " "), written("mi", "")]) {
    assert.ok(!isSymbol(sign), sign.text);
  }
});

test("each symbol counts once; the type is part of it, the size of an operator is not", () => {
  const bold = drawn("mi", ["B-1D431"]);
  const script = drawn("mi", ["C-41"]);
  const upright = drawn("mi", ["N-41"]);
  const signs = [x, bold, x, script, upright, drawn("mo", ["LO-2211"]), drawn("mo", ["SO-2211"])];
  assert.deepEqual(
    symbolsAmong(signs).map(({ name }) => name),
    ["I-1D465", "B-1D431", "C-41", "N-41", "2211"],
  );
});

test("a letter of MathML is the same in the same variant", () => {
  assert.ok(isAmong(written("mi", "x"), [written("mi", "x")]));
  assert.ok(!isAmong(written("mi", "x"), [written("mi", "x", "bold")]));
  assert.ok(!isAmong(written("mo", "x"), [written("mi", "x")]));
});

test("a selector asks for the glyphs of a letter and for the code of an operator, in order and no others", () => {
  assert.equal(selectorOf(x), 'g[data-mml-node="mi"]:has(> use[*|href$="-TEX-I-1D465"]:nth-child(1):last-child)');
  assert.equal(selectorOf(drawn("mo", ["LO-2211"])), 'g[data-mml-node="mo"]:has(> use[data-c="2211"]:nth-child(1):last-child)');
  assert.ok(selectorOf(sine).endsWith(':has(> use[*|href$="-TEX-N-6E"]:nth-child(3):last-child)'));
});
