import assert from "node:assert/strict";
import { test } from "node:test";
import { decision, inTurn, kept, PageStore, trial } from "./outbox.testing";
import type { SendResult } from "./server";

const elsewhere = { word: "0", comment: "", key: "other" };

test("decisions go in their order, each once", async () => {
  const { outbox, store, sent, states, done } = trial(kept);
  for (const key of ["a", "b", "c"]) await outbox.add(decision(key));
  await done();
  assert.deepEqual(sent, ["a", "b", "c"]);
  assert.deepEqual(store.waiting, []);
  assert.deepEqual(states.at(-1), [0, 0, "idle"]);
});

test("the decisions of one key are stored as one", async () => {
  const { outbox, store, sent, done } = trial(kept);
  const stored: string[][] = [];
  const add = store.add.bind(store);
  store.add = async (messages) => (stored.push(messages.map(({ key }) => key)), add(messages));
  await outbox.add(decision("a"), decision("b"), decision("c"));
  await done();
  assert.deepEqual(stored, [["a", "b", "c"]]);
  assert.deepEqual(sent, ["a", "b", "c"]);
});

test("a decision is in the store before it is sent", async () => {
  const store = new PageStore();
  const sizes: number[] = [];
  const { outbox, done } = trial((key) => (sizes.push(store.waiting.length), kept(key)), store);
  await outbox.add(decision("a"));
  await done();
  assert.deepEqual(sizes, [1]);
});

test("what did not arrive goes again, later each time, and nothing overtakes it", async () => {
  const { outbox, sent, pauses, done } = trial((key, nth) => (nth < 4 ? { kind: "away" } : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("b"));
  await done();
  assert.deepEqual(sent, ["a", "a", "a", "a", "b"]);
  assert.equal(pauses.length, 3);
  assert.ok(pauses[2]! > 1.5 * pauses[0]!);
});

test("without a session all wait until somebody has signed in", async () => {
  let isIn = false;
  const { outbox, store, sent, states, done } = trial((key) => (isIn ? kept(key) : { kind: "session", other: "" }));
  await outbox.add(decision("a"));
  await outbox.add(decision("b"));
  await done();
  assert.equal(store.waiting.length, 2);
  assert.deepEqual(states.at(-1), [2, 0, "session"]);
  isIn = true;
  outbox.wake();
  await done();
  assert.deepEqual(store.waiting, []);
  assert.deepEqual(sent.slice(-2), ["a", "b"]);
});

test("what the server refuses stays for its assessor and holds up nothing", async () => {
  const refuse: SendResult = { kind: "refused", detail: "another text" };
  const { outbox, store, sent, states, done } = trial((key) => (key === "a" ? refuse : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("b", "6"));
  await done();
  assert.deepEqual(sent, ["a", "b"]);
  assert.deepEqual(store.waiting.map(({ message, problem }) => [message.key, problem]), [["a", "another text"]]);
  assert.deepEqual(states.at(-1), [0, 1, "idle"]);
  await outbox.settle(store.waiting[0]!, elsewhere);
  assert.deepEqual(store.waiting, []);
});

test("what was refused is settled when the server has a later decision about the same document", async () => {
  const refuse: SendResult = { kind: "refused", detail: "another text" };
  const { outbox, store, done } = trial((key) => (key.startsWith("a") ? refuse : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("a2", "6"));
  await outbox.add(decision("b"));
  await done();
  assert.deepEqual(store.waiting.map(({ message }) => message.key), ["a2"]);
});

test("a conflict waits until it is settled, then goes with what is known now", async () => {
  const { outbox, store, sent, answers, done } = trial((key) => (key === "a" ? { kind: "conflict" } : kept(key)));
  await outbox.add(decision("a"));
  await done();
  assert.equal(store.waiting[0]!.problem, "conflict");
  await outbox.settle(store.waiting[0]!, elsewhere, { ...decision("again"), after: "other" });
  await done();
  assert.deepEqual(sent, ["a", "again"]);
  assert.deepEqual(answers, [["a", "conflict"], ["a", "kept"], ["again", "kept"]]);
  assert.deepEqual(store.waiting, []);
});

test("two windows of one person send one at a time", async () => {
  const [store, alone] = [new PageStore(), inTurn()];
  let [atOnce, most] = [0, 0];
  const answer = async (key: string): Promise<SendResult> => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 2));
    atOnce--;
    return kept(key);
  };
  const [left, right] = [trial(answer, store, true, alone), trial(answer, store, true, alone)];
  await Promise.all(["a", "b", "c", "d"].map((key, index) => (index % 2 ? left : right).outbox.add(decision(key))));
  while (store.waiting.length) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal(most, 1);
  assert.deepEqual([...left.sent, ...right.sent].sort(), ["a", "b", "c", "d"]);
});

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
  const answer = (key: string, nth: number): SendResult =>
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
