import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

/** What the modules of each folder may import of the others. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  model: ["desk/model"],
  sync: ["desk/model", "desk/sync", "storage"],
  view: ["desk/model", "desk/sync", "desk/view", "."],
};

test("the model imports nothing else, sync only the model and the storage, view both, and nobody main", () => {
  for (const [folder, allowed] of Object.entries(ALLOWED)) {
    const files = readdirSync(join("src/desk", folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    for (const file of files) {
      const path = join("src/desk", folder, file);
      for (const [, imported] of readFileSync(path, "utf8").matchAll(/from "([^"]+)"/g)) {
        const target = dirname(normalize(join("desk", folder, imported!)));
        assert.ok(allowed.includes(target), `${path} imports ${imported}`);
      }
    }
  }
});

test("the model knows no page, network or storage", () => {
  const browser = /\b(document|window|localStorage|sessionStorage|indexedDB|fetch|navigator|location)\b[.(]/;
  for (const file of readdirSync("src/desk/model").filter((name) => !name.endsWith(".test.ts"))) {
    const code = readFileSync(join("src/desk/model", file), "utf8").replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "");
    assert.ok(!browser.test(code), file);
  }
});
