// Runs src/**/*.test.ts: bundled one by one into a temporary folder, then by Node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(join(tmpdir(), "assess-frontend-"));
try {
  const entryPoints = (await readdir("src", { recursive: true }))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("src", name));
  await build({
    entryPoints,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".mjs"));
  const options = ["--enable-source-maps", "--test", ...files.map((name) => join(folder, name))];
  process.exitCode = spawnSync(process.execPath, options, { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
