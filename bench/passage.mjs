// Counts what a warm request passes on the main thread: files of src/, functions of these, their calls, and
// functions of packages, by the coverage of V8.
//
//   node bench/passage.mjs [--list "tile, cached"]… [--before TREE]
//
// --list: prints the files and functions of a request. --before: another checkout, with its packages, which
// is measured too.

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "./lib/servers.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values } = parseArgs({
  options: { list: { type: "string", multiple: true }, before: { type: "string" } },
});

const tile = "/iiif/3/a.jpg/512,512,512,512/512,/0/default.jpg";
/** Requests by name. `render`: the slot of derivatives. */
const requests = {
  "tile, rendered": { render: "none", path: tile },
  "tile, cached": { render: "heap", path: tile },
  "tile, 304": { render: "heap", path: tile, conditional: true },
  "image information": { render: "heap", path: "/iiif/3/a.jpg/info.json" },
  "manifest of an image": { render: "heap", path: "/iiif/presentation/3/a.jpg" },
};

const folder = mkdtempSync(join(tmpdir(), "smalti-passage-"));
mkdirSync(join(folder, "images"));
copyFileSync(join(root, "static/sample/sample.jpg"), join(folder, "images/a.jpg"));

const trees = { ...(values.before && { before: resolve(values.before) }), now: root };
const found = {};
for (const [name, tree] of Object.entries(trees)) {
  const dist = join(folder, name);
  const { build } = await import(pathToFileURL(join(tree, "scripts/build.mjs")).href);
  await build({ outdir: dist, quiet: true, maps: true });
  found[name] = await measure(dist);
}
rmSync(folder, { recursive: true });

const columns = Object.keys(found);
console.log(
  `| request | ${columns.map((name) => `${name}: files, functions, calls, of packages`).join(" | ")} |`,
);
console.log(`|---|${columns.map(() => "---|").join("")}`);
for (const request of Object.keys(requests)) {
  const cells = columns.map((name) => {
    const { own, foreign } = found[name][request];
    const calls = own.reduce((sum, each) => sum + each.calls, 0);
    return `${new Set(own.map(({ file }) => file)).size}, ${own.length}, ${calls}, ${foreign.length}`;
  });
  console.log(`| ${request} | ${cells.join(" | ")} |`);
}
for (const request of values.list ?? []) {
  console.log(`\n${request}`);
  for (const { file, name, calls } of found.now[request].own) console.log(`${file}  ${name}  ${calls}`);
}

/** Returns the functions that each request runs, in the sources and in packages. */
async function measure(dist) {
  const maps = new Map();
  const result = {};
  for (const render of ["none", "heap"]) {
    const port = await freePort();
    const config = join(folder, "smalti.yaml");
    writeFileSync(
      config,
      `addr: "127.0.0.1:${port}"
sources: [{ name: images, type: filesystem, root: ${JSON.stringify(join(folder, "images"))} }]
cache: { render: { backend: ${render} }, info: { backend: heap }, origin: { backend: heap } }
`,
    );
    const coverage = fileURLToPath(new URL("./lib/coverage.mjs", import.meta.url));
    const child = spawn(process.execPath, ["--import", coverage, join(dist, "main.js"), "-config", config], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const since = () =>
      new Promise((received) => {
        child.once("message", received);
        child.send("take");
      });
    const send = async (path, headers = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      await response.arrayBuffer();
      return response;
    };
    while (!(await send("/health").catch(() => undefined))) await pause(100);
    await pause(3000); // the warm-up of a start
    for (const [name, { path, conditional }] of Object.entries(requests).filter(
      ([, row]) => row.render === render,
    )) {
      let headers = {};
      for (let times = 0; times < 10; times++) {
        const etag = (await send(path, headers)).headers.get("etag");
        if (conditional) headers = { "if-none-match": etag };
      }
      await pause(1500);
      await since();
      await send(path, headers);
      await pause(300);
      result[name] = split(await since(), maps);
    }
    child.kill();
    await new Promise((ended) => child.once("exit", ended));
  }
  return result;
}

/** Splits coverage into functions of src/ and of packages, by the source maps next to the bundles. */
function split(scripts, maps) {
  const own = [];
  const foreign = [];
  for (const { url, ran } of scripts) {
    const path = fileURLToPath(url);
    if (!path.startsWith(folder)) continue;
    if (!maps.has(path)) maps.set(path, lookupOf(path));
    for (const { name, offset, calls } of ran) {
      const source = maps.get(path)(offset);
      if (name === "" && offset === 0) continue;
      const file = /(?:^|\/)(src\/.*)$/.exec(source ?? "")?.[1];
      if (file && !source.includes("node_modules")) own.push({ file, name, calls });
      else foreign.push({ file: source, name, calls });
    }
  }
  return { own: own.sort((a, b) => (a.file < b.file ? -1 : 1)), foreign };
}

/** Returns the function from an offset in a bundle to the path of its source. */
function lookupOf(path) {
  const text = readFileSync(path, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return map.findEntry(line, offset - starts[line]).originalSource;
  };
}
