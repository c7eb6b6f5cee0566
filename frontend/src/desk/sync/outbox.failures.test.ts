import assert from "node:assert/strict";
import { test } from "node:test";
import { decision, kept, trial } from "./outbox.testing";
import type { Answer } from "./server";

test("what the server fails at again and again stays for its assessor, and what waits behind it goes on", async () => {
  const { outbox, store, sent, answers, done } = trial((key) => (key === "a" ? { kind: "failed" } : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("b", "6"));
  await done();
  assert.deepEqual(sent, ["a", "a", "a", "a", "a", "b"]);
  assert.deepEqual(store.waiting.map(({ message, problem }) => [message.key, problem]), [["a", "500"]]);
  assert.deepEqual(answers, [["a", "refused"], ["b", "kept"]]);
});

test("a server that fails now and then, or is away, refuses nothing", async () => {
  const answer = (key: string, nth: number): Answer =>
    nth > 20 ? kept(key) : { kind: nth % 5 === 0 ? "away" : "failed" };
  const { outbox, store, answers, done } = trial(answer);
  await outbox.add(decision("a"));
  await done();
  assert.deepEqual(store.waiting, []);
  assert.deepEqual(answers, [["a", "kept"]]);
});

test("a server that fails at everything refuses nothing", async () => {
  const { outbox, answers, sent, done } = trial((key, nth) => (nth > 12 ? kept(key) : { kind: "failed" }), undefined, false);
  await outbox.add(decision("a"));
  await done();
  assert.equal(sent.length, 13);
  assert.deepEqual(answers, [["a", "kept"]]);
});
