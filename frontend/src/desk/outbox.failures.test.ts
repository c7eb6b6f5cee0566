import assert from "node:assert/strict";
import { test } from "node:test";
import { decision, kept, trial } from "./outbox.trial";
import type { Answer } from "./server";

test("what the server fails at again and again stays for its assessor, and what waits behind it goes on", async () => {
  const { outbox, store, sent, told, done } = trial((key) => (key === "a" ? { kind: "failed" } : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("b", "6"));
  await done();
  assert.deepEqual(sent, ["a", "a", "a", "a", "a", "b"]);
  assert.deepEqual(store.waiting.map((one) => [one.message.key, one.problem]), [["a", "500"]]);
  assert.deepEqual(told, [["a", "refused"], ["b", "kept"]]);
});

test("a server that fails now and then, or is away, refuses nothing", async () => {
  const answer = (key: string, nth: number): Answer =>
    nth > 20 ? kept(key) : { kind: nth % 5 === 0 ? "away" : "failed" };
  const { outbox, store, told, done } = trial(answer);
  await outbox.add(decision("a"));
  await done();
  assert.deepEqual(store.waiting, []);
  assert.deepEqual(told, [["a", "kept"]]);
});

test("a server that fails at everything refuses nothing", async () => {
  const { outbox, told, sent, done } = trial((key, nth) => (nth > 12 ? kept(key) : { kind: "failed" }), undefined, false);
  await outbox.add(decision("a"));
  await done();
  assert.equal(sent.length, 13);
  assert.deepEqual(told, [["a", "kept"]]);
});
