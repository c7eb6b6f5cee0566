// Runs src/**/*.test.ts with node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const out = await mkdtemp(join(tmpdir(), "assess-"));
const tests = (await readdir("src", { recursive: true })).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join("src", name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "es2022",
});
const files = (await readdir(out, { recursive: true })).filter((name) => name.endsWith(".mjs"));
const { status } = spawnSync(process.execPath, ["--test", ...files.map((name) => join(out, name))], { stdio: "inherit" });
await rm(out, { recursive: true });
process.exit(status ?? 1);
