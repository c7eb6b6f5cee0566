import assert from "node:assert/strict";
import { test } from "node:test";
import { TestDesk } from "./desk.testing";
import { recentDecisions } from "./recent";

const recent = (desk: TestDesk): string[] => recentDecisions(desk.state).map(({ place, word }) => `${place} ${word}`);

test("the last five decisions, the newest first", () => {
  assert.deepEqual(recent(new TestDesk("ooooooo").press("3", "2", "1", "0", "3", "2")), ["6 2", "5 3", "4 0", "3 1", "2 2"]);
});

test("a document is named once, by what holds now", () => {
  const desk = new TestDesk("ooo").press("3", "2", "previous", "0");
  assert.deepEqual(recent(desk), ["2 0", "1 3"]);
  assert.deepEqual(recent(desk.press("undo", "undo")), ["1 3"]);
});

test("deferring decides nothing", () => {
  assert.deepEqual(recent(new TestDesk("ooo").press("3", "defer")), ["1 3"]);
});
