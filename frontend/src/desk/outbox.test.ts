import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision } from "./decision";
import { Outbox, type State } from "./outbox";
import type { Answer } from "./server";
import { PageStore } from "./store";

const decision = (key: string, instance = "5"): Decision => ({
  key,
  assignment: "1",
  place: 1,
  instance,
  content_hash: "h",
  after: "",
  word: "3",
  comment: "",
  active_ms: 0,
  wall_ms: 0,
  rulings: "",
});
const kept = (key: string): Answer => ({ kind: "kept", standing: { word: "3", comment: "", key } });

const stands = { word: "0", comment: "", key: "other" };

interface Trial {
  outbox: Outbox;
  store: PageStore;
  sent: string[];
  states: [number, number, State][];
  pauses: number[];
  told: [string, string][];
  done: () => Promise<void>;
}

/** An outbox with a server that answers as told. */
function trial(answer: (key: string, nth: number) => Answer, store = new PageStore(), isUp = true): Trial {
  const sent: string[] = [];
  const states: [number, number, State][] = [];
  const pauses: number[] = [];
  const told: [string, string][] = [];
  let busy: Promise<unknown> = Promise.resolve();
  const outbox = new Outbox(store, {
    send: async (one) => answer(one.key, sent.push(one.key)),
    answered: (message, answer) => void told.push([message.key, answer.kind]),
    changed: (waiting, state) => {
      const problems = waiting.filter((one) => one.problem !== undefined).length;
      states.push([waiting.length - problems, problems, state]);
    },
    alone: (work) => {
      const result = busy.then(work);
      busy = result.catch(() => undefined);
      return result;
    },
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    isUp: async () => isUp,
  });
  const done = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
  };
  return { outbox, store, sent, states, pauses, told, done };
}

test("decisions go in their order, each once", async () => {
  const { outbox, store, sent, states, done } = trial(kept);
  for (const key of ["a", "b", "c"]) await outbox.add(decision(key));
  await done();
  assert.deepEqual(sent, ["a", "b", "c"]);
  assert.deepEqual(store.waiting, []);
  assert.deepEqual(states.at(-1), [0, 0, "idle"]);
});

test("a decision is in the store before it is sent", async () => {
  const store = new PageStore();
  const held: number[] = [];
  const { outbox, done } = trial((key) => (held.push(store.waiting.length), kept(key)), store);
  await outbox.add(decision("a"));
  await done();
  assert.deepEqual(held, [1]);
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
  const { outbox, store, sent, states, done } = trial((key) => (isIn ? kept(key) : { kind: "session" }));
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
  const refuse: Answer = { kind: "refused", detail: "another text" };
  const { outbox, store, sent, states, done } = trial((key) => (key === "a" ? refuse : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("b", "6"));
  await done();
  assert.deepEqual(sent, ["a", "b"]);
  assert.deepEqual(store.waiting.map((one) => [one.message.key, one.problem]), [["a", "another text"]]);
  assert.deepEqual(states.at(-1), [0, 1, "idle"]);
  await outbox.settle(store.waiting[0]!, stands);
  assert.deepEqual(store.waiting, []);
});

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

test("what was refused is settled when the server has a later decision about the same document", async () => {
  const refuse: Answer = { kind: "refused", detail: "another text" };
  const { outbox, store, done } = trial((key) => (key.startsWith("a") ? refuse : kept(key)));
  await outbox.add(decision("a"));
  await outbox.add(decision("a2", "6"));
  await outbox.add(decision("b"));
  await done();
  assert.deepEqual(store.waiting.map((one) => one.message.key), ["a2"]);
});

test("a conflict waits until it is settled, then goes with what is known now", async () => {
  const { outbox, store, sent, told, done } = trial((key) => (key === "a" ? { kind: "conflict" } : kept(key)));
  await outbox.add(decision("a"));
  await done();
  assert.equal(store.waiting[0]!.problem, "conflict");
  await outbox.settle(store.waiting[0]!, stands, { ...decision("again"), after: "other" });
  await done();
  assert.deepEqual(sent, ["a", "again"]);
  assert.deepEqual(told, [["a", "conflict"], ["a", "kept"], ["again", "kept"]]);
  assert.deepEqual(store.waiting, []);
});

test("two windows of one person send one at a time", async () => {
  const store = new PageStore();
  let atOnce = 0;
  let most = 0;
  const sent: string[] = [];
  let busy: Promise<unknown> = Promise.resolve();
  const open = (): Outbox =>
    new Outbox(store, {
      send: async (one) => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setTimeout(resolve, 2));
        atOnce--;
        sent.push(one.key);
        return kept(one.key);
      },
      answered: () => undefined,
      changed: () => undefined,
      alone: (work) => {
        const result = busy.then(work);
        busy = result.catch(() => undefined);
        return result;
      },
      sleep: async () => undefined,
      isUp: async () => true,
    });
  const [left, right] = [open(), open()];
  await Promise.all(["a", "b", "c", "d"].map((key, index) => (index % 2 ? left : right).add(decision(key))));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(most, 1);
  assert.deepEqual(sent.sort(), ["a", "b", "c", "d"]);
});
