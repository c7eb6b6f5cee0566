// Builds dist/: one module per src/pages/*.ts, the script that runs before the first paint, the style sheet, the icon,
// and the parts of MathJax that pages ask for. With --watch, again whenever a file changes.
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
const out = "dist";
const pages = (await readdir("src/pages")).filter((name) => name.endsWith(".ts"));

await rm(out, { recursive: true, force: true });
const common = { absWorkingDir: root, outdir: out, bundle: true, target: "es2022", minify: true, logLevel: "warning" };
const bundles = [
  { ...common, entryPoints: ["src/early.ts"], format: "iife" },
  {
    ...common,
    entryPoints: [...pages.map((name) => join("src/pages", name)), "src/app.css"],
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    assetNames: "[name]",
    loader: { ".woff2": "file" },
    splitting: true,
    format: "esm",
    legalComments: "linked",
  },
];
await Promise.all(bundles.map(build));

await cp("src/icon.svg", join(out, "icon.svg"));
await cp("node_modules/@fontsource/source-serif-4/LICENSE", join(out, "source-serif-4.LICENSE.txt"));

const require = createRequire(import.meta.url);
const mathjax = dirname(require.resolve("mathjax/package.json"));
const { version } = require("mathjax/package.json"); // as in templates/base.html
const parts = ["startup.js", "core.js", "input/tex.js", "input/tex/extensions", "output/svg.js", "output/svg/fonts", "a11y/assistive-mml.js"];
for (const part of ["LICENSE", ...[...parts, "ui/safe.js"].map((name) => `es5/${name}`)]) { // all but its menu, which nobody sees
  const target = join(out, `mathjax-${version}`, part.replace("es5/", ""));
  await mkdir(dirname(target), { recursive: true });
  await cp(join(mathjax, part), target, { recursive: true });
}

if (process.argv.includes("--watch")) for (const bundle of bundles) await (await context(bundle)).watch();
