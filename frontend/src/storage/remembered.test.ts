import assert from "node:assert/strict";
import { test } from "node:test";
import { recall, recallJson, remember } from "./remembered";

const use = (storage: unknown): void => void Object.assign(globalThis, { window: storage });
const isNumber = (value: unknown): boolean => typeof value === "number";

test("a browser that blocks site data remembers nothing and stops nobody", () => {
  use(Object.defineProperty({}, "localStorage", { get: () => { throw new Error("SecurityError"); } }));
  remember("name", "value");
  assert.deepEqual([recall("name"), recallJson("name", 7, isNumber)], [undefined, 7]);
});

test("a damaged entry counts as none", () => {
  const entries: Record<string, string> = { good: "3", cut: '{"mar', other: "[]", none: "null" };
  use({ localStorage: { getItem: (name: string) => entries[name] ?? null } });
  const read = (name: string): number => recallJson(name, 7, isNumber);
  assert.deepEqual(["good", "cut", "other", "none", "absent"].map(read), [3, 7, 7, 7, 7]);
});
