import assert from "node:assert/strict";
import { test } from "node:test";
import { TestDesk } from "./desk.testing";
import { absentPlaces, judgedCount, missing, missingSoon, mountable, neighbour, openAfter, openPlaces } from "./places";
import { upcoming, withDeferral, withoutOld, withoutSpare, withState, type Places } from "./places";
import { Draft, type State } from "./state";

const places = (states: string, deferred: number[] = [], absent: number[] = []): Places => ({
  states,
  deferred: new Set(deferred),
  absent: new Set(absent),
});
const desk = (states: string, place: number, more: Partial<State> = {}, list?: number[]): State => ({
  ...new Draft({ assignment: "1", states, deferred: [], place, list, scale: { grades: [], outcomes: [], names: {}, hasThreads: false }, reasons: [], early: 300, ahead: 6, stored: 0, isSettling: false }),
  ...more,
});
const ready = (...all: number[]): State["items"] => new Map(all.map((place) => [place, { place, cards: [], shownAt: 0 }]));

test("the next place is the next open one, then from the start, then the deferred ones", () => {
  const next = (states: string, after: number): number | undefined => openAfter(places(states), after)[0];
  assert.equal(next("oooo", 1), 2);
  assert.equal(next("ojoo", 4), 1);
  assert.equal(next("djoo", 4), 3);
  assert.equal(next("djud", 1), 4);
  assert.equal(next("djud", 4), 1);
  assert.equal(next("jjoj", 3), undefined); // only this one
  assert.equal(next("juj", 2), undefined);
  assert.deepEqual(openAfter(places("doodj"), 2), [3, 4, 1]);
});

test("items that are wanted soon are requested once", () => {
  const states = "jo" + "o".repeat(20);
  assert.deepEqual(missing(desk(states, 1)), [2, 3, 4, 5, 6, 7]);
  assert.deepEqual(missing(desk(states, 1, { items: ready(3), requested: new Set([2, 4]) })), [5, 6, 7]);
});

test("of formulas fewer are got ready, and more stored", () => {
  const page = { ...desk("o", 1).page, states: "", ahead: 2, stored: 3 };
  const state = desk("jo" + "o".repeat(20), 1, { page, stock: new Set([2, 5]) });
  assert.deepEqual(mountable(state), [2]);
  assert.deepEqual([missingSoon(state), missing(state)], [[3], [3, 4, 6]]);
  const stock = new Set([1, 2, 3, 9, 10, 11, 20]);
  assert.deepEqual([...withoutOld({ ...state, place: 3, items: ready(2), stock })], [2, 3, 9, 10]);
});

test("the last items stay on the page only if they are not in stock", () => {
  const history = [1, 2, 3].map((place) => ({ place, decisions: [] }));
  const kept = withoutSpare(desk("jjjjjooo", 6, { history, items: ready(1, 2, 3, 4, 5, 6), stock: new Set([1, 2]) }));
  assert.deepEqual([...kept.keys()], [3, 5, 6]);
});

test("if items are gone through in order they are requested before those that are open, and kept", () => {
  const browsing = { heading: 1 } as const;
  assert.deepEqual(missing(desk("jjjjoo", 1, browsing)), [2, 3, 4, 5, 6]);
  const kept = withoutSpare(desk("jjjjjjjjjjjoo", 3, { ...browsing, items: ready(1, 2, 3, 4, 9, 10, 11, 12) }));
  assert.deepEqual([...kept.keys()], [2, 3, 4, 9, 10, 11, 12]);
});

test("items that cannot be shown come last and are not requested again", () => {
  const absent = places("odoo", [2], [3]);
  assert.deepEqual([openAfter(absent, 1), absentPlaces(absent)], [[4, 2, 3], [3]]);
  assert.deepEqual(missing(desk("odoo", 1, { places: absent })), [4, 2]);
  const state = new TestDesk("odoo", { missing: [3] }).do({ type: "received", items: [], expected: [3] }).state;
  assert.deepEqual(absentPlaces(state.places), [3]);
});

test("judged places are counted, with those that are not known", () => {
  assert.equal(judgedCount(places("ojdu")), 2);
  assert.deepEqual(withState(places("ojdu"), 1, "j").states, "jjdu");
});

test("a deferred place is deferred again when its judgment is taken back, until it is deferred no longer", () => {
  let state = withDeferral(withState(places("djjo", [1, 2]), 1, "j"), 4, true); // the second is judged
  assert.equal(state.states, "jjjd");
  for (const place of [1, 2, 3]) state = withState(state, place);
  assert.equal(state.states, "ddod");
  state = withDeferral(withState(state, 2, "u"), 2, false);
  assert.equal(state.states, "duod");
  assert.equal(withState(state, 2).states, "dood");
});

test("items far behind are dropped, neighbours and the next ones are not", () => {
  const all = Array.from({ length: 20 }, (_, index) => index + 1);
  const kept = withoutSpare(desk("jjjjj" + "o".repeat(30), 6, { items: ready(...all) }));
  assert.deepEqual([...kept.keys()], [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
});

test("in a filtered list the next and previous items are those of the list, and open ones of the list come first", () => {
  const state = desk("odojo", 2, {}, [2, 4, 5]);
  assert.deepEqual([neighbour(state, 2, 1), neighbour(state, 2, -1), neighbour(state, 5, 1)], [4, undefined, undefined]);
  assert.deepEqual(openPlaces(state), [5, 3, 5, 1]);
  assert.equal(upcoming(state), 4);
});
