import assert from "node:assert/strict";
import { test } from "node:test";
import { BREAK, freeColour, matchesIn, parsed, terms } from "./keywords";

const words = (text: string, ...wanted: string[]): string[] =>
  matchesIn(text, wanted).map(([from, to]) => text.slice(from, to));

test("commas separate words and phrases; each counts once, and is cut if it is long", () => {
  assert.deepEqual(parsed(" limit ,uniform   convergence,, Limit, "), ["limit", "uniform convergence"]);
  assert.deepEqual(parsed('"set", ""'), ['"set"']);
  assert.deepEqual(parsed("  "), []);
  assert.equal(parsed("x".repeat(300))[0]!.length, 100);
});

test("the first free colour is taken, of six", () => {
  assert.equal(freeColour([]), 0);
  assert.equal(freeColour([{ words: ["a"], colour: 0 }, { words: ["b"], colour: 2 }]), 1);
  assert.equal(freeColour([0, 1, 2, 3, 4, 5].map((colour) => ({ words: ["a"], colour }))), undefined);
});

test("words match in any case, at the start of words; in quotes only the whole word", () => {
  assert.deepEqual(words("Converges? It converged, nonconvergent.", "converge"), ["Converge", "converge"]);
  assert.deepEqual(words("ÜBER über", "über"), ["ÜBER", "über"]);
  assert.deepEqual(words("set settle subset Set", '"set"'), ["set", "Set"]);
});

test("a phrase may go over the end of a line, not over a formula or the end of a block", () => {
  assert.deepEqual(words("uniform\n convergence", "uniform convergence"), ["uniform\n convergence"]);
  assert.deepEqual(words(`uniform${BREAK}convergence`, "uniform convergence"), []);
});

test("signs are signs", () => {
  assert.deepEqual(words("f(x) is (not) a.b or a*b", "f(x)", "a.b", "(not"), ["f(x)", "(not", "a.b"]);
  assert.deepEqual(words("an ε-δ proof", "ε-δ"), ["ε-δ"]);
  assert.deepEqual(words("what? what", "what?"), ["what?"]);
});

test("the longest of several words counts, and none matches nothing", () => {
  assert.deepEqual(words("power series", "power", "power series"), ["power series"]);
  assert.deepEqual(matchesIn("", ["a"]), []);
  assert.deepEqual(matchesIn("a", []), []);
});

test("the terms of a title are its longer words, but the little ones", () => {
  assert.deepEqual(terms("What is the limit of this series? The limit!"), ["limit", "series"]);
  assert.deepEqual(terms("How do you dry tea, and why in oil?"), ["dry", "tea", "oil"]);
});
