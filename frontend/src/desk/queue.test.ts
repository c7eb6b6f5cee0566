import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "./queue";

test("the next place is the next open one, then from the start, then those put off", () => {
  const next = (states: string, after: number): number | undefined => new Queue(states).following(after)[0];
  assert.equal(next("oooo", 1), 2);
  assert.equal(next("ojoo", 4), 1);
  assert.equal(next("djoo", 4), 3);
  assert.equal(next("djud", 1), 4);
  assert.equal(next("djud", 4), 1);
  assert.equal(next("jjoj", 3), undefined); // only here
  assert.equal(next("juj", 2), undefined);
});

test("what will be wanted soon is asked for once", () => {
  const queue = new Queue<string>("jo" + "o".repeat(20));
  assert.deepEqual(queue.missing(1), [2, 3, 4, 5, 6, 7]);
  queue.put(3, "third");
  queue.ask([2, 4]);
  assert.deepEqual(queue.missing(1), [5, 6, 7]);
  queue.unask([2]); // it did not come
  assert.deepEqual(queue.missing(1), [2, 5, 6, 7]);
  queue.put(4, "fourth");
  queue.forget(4);
  assert.deepEqual(queue.missing(1), [2, 4, 5, 6, 7]);
});

test("what is gone through in order is asked for before what is left to judge, and kept", () => {
  const queue = new Queue<string>("jjjjoo");
  assert.deepEqual(queue.missing(1, [2, 3]), [2, 3, 5, 6]);
  for (const place of [2, 3, 4]) queue.put(place, "");
  assert.deepEqual([queue.missing(1, [2, 3]), queue.spare(6, [3]).map(([place]) => place)], [[5, 6], [2, 4]]);
});

test("what cannot be shown comes last and is not asked for by itself", () => {
  const queue = new Queue<string>("odoo");
  queue.ask([3]);
  queue.lose([3]);
  assert.deepEqual([queue.following(1), queue.missing(1), queue.absent], [[4, 2, 3], [4, 2], [3]]);
  queue.put(3, "third"); // it came after all
  assert.deepEqual([queue.following(1), queue.absent], [[3, 4, 2], []]);
});

test("judged places are counted, with those of which something is not known", () => {
  const queue = new Queue("ojdu");
  assert.equal(queue.judged, 2);
  queue.set(1, "j");
  assert.deepEqual([queue.states, queue.judged], ["jjdu", 3]);
});

test("what was put off is so again when its judgment is taken back, until it is put off no longer", () => {
  const queue = new Queue("djjo", [1, 2]); // the second is judged
  queue.set(1, "j");
  queue.defer(4, true);
  assert.equal(queue.states, "jjjd");
  for (const place of [1, 2, 3]) queue.set(place);
  assert.equal(queue.states, "ddod");
  queue.set(2, "u");
  queue.defer(2, false);
  assert.equal(queue.states, "duod");
  queue.set(2);
  assert.equal(queue.states, "dood");
});

test("items far behind are spare, neighbours and the coming ones are not", () => {
  const queue = new Queue<number>("jjjjj" + "o".repeat(30));
  for (let place = 1; place <= 20; place++) queue.put(place, place);
  const spare = queue.spare(6).map(([place]) => place);
  assert.deepEqual(spare, [1, 2, 3, 4, 15, 16, 17, 18, 19, 20]);
});

test("from the next place on each place comes once, also where nothing is decided on the way", () => {
  assert.deepEqual(new Queue("doodj").following(2), [3, 4, 1]);
});
