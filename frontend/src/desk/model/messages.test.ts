import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "./messages";

test("keys are 32 letters and digits, each different", () => {
  const keys = Array.from({ length: 1000 }, newKey);
  assert.ok(keys.every((key) => /^[0-9a-f]{32}$/.test(key)));
  assert.equal(new Set(keys).size, 1000);
});
