// Builds dist/: one app.js with all that is not bound to a runtime, thin entries, a self-contained pool
// worker, the WebAssembly modules, the static files, and the configuration of workerd. `node
// scripts/build.mjs`; `build()` for tests.

import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { markBuilt, sourcesDigest } from "./build-stamp.mjs";
import { bundleBom, licenceFiles, licenceText, packagesOf } from "./bundle-contents.mjs";
import { deriveConfigTree } from "./config-tree.mjs";
import { withFirstMemory } from "./first-memory.mjs";
import { withLentMemory } from "./lent-memory.mjs";
import { moduleTable } from "./modules.mjs";
import { buildSite } from "./site/site.mjs";
import { compressFiles } from "./static-files.mjs";
import { version } from "./version.mjs";
import { checkViewers, viewerNotices, viewerPackages } from "./viewer-files.mjs";
import { buildWasm } from "./wasm.mjs";
import { workerdConfig } from "./workerd-config.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const packages = join(root, "node_modules");

/**
 * Files of src/ that the entries share with app.js. Anything else that both would hold is an error: it would
 * be there twice.
 */
const shared = [
  "base/index.ts",
  "admin/routes.ts",
  "cli/cli.ts",
  "server/start/start.ts",
  "server/start/embed.ts",
];
/** Files without state or identity, small enough to be in an entry as well. */
const alone = /^(main|index|workerd|((hook|password|text)-)?thread)\.ts$|^server\/platform\//;

/**
 * Files of src/ that app.js, thread.js and imaging.js load on demand, each bundled into a separate file with
 * the packages that only it needs.
 */
const chunks = {
  "server/api/mcp/protocol.ts": "mcp.js",
  "doctor/login/diagnose.ts": "doctor.js",
  "server/tracing/tracing.ts": "tracing.js",
  "server/api/http/proof/work.ts": "proof.js",
  "server/manifests/texts/stemmers.ts": "stemmers.js",
  "imaging/codecs/avif/encoder-glue.ts": "avif-encode.js",
  "imaging/codecs/avif/decoder-glue.ts": "avif-decode.js",
  "imaging/codecs/jxl/encoder-glue.ts": "jxl-encode.js",
};
/**
 * Returns the file in `outdir` of a WebAssembly module. Wrangler uploads all files that end in .wasm, so
 * those that are loaded on demand do not: they alone would take what its free plan allows.
 */
const moduleFile = (name, { onDemand }) => `wasm/${onDemand ? `on-demand/${name}.module` : `${name}.wasm`}`;

/**
 * Entries of workers, each in one file with all that it needs, and the name that the option `only` has for
 * it.
 */
const threads = ["thread", "hook-thread", "password-thread", "text-thread"];

/**
 * Builds into `outdir`. `only`: leaves out everything but a worker, by the name of its entry, and its
 * modules. `maps`: writes source maps next to the bundles.
 */
export async function build({ outdir = join(root, "dist"), only, quiet = false, maps = false } = {}) {
  const bundled = (options) => bundle({ ...options, sourcemap: maps && "external" });
  const digest = sourcesDigest(root); // before the sources are read: what changes meanwhile is built again
  await rm(outdir, { recursive: true, force: true });
  await mkdir(join(outdir, "wasm/on-demand"), { recursive: true });
  const { wasmModules } = await moduleTable();
  const users = { thread: ["worker", "both"], "hook-thread": ["hooks"] };
  const names = Object.keys(wasmModules).filter(
    (name) => !only || users[only]?.includes(wasmModules[name].usedBy),
  );
  for (const [name, file] of Object.entries(await moduleFiles(wasmModules, names))) {
    const { firstPages, lentPages } = wasmModules[name];
    const target = join(outdir, moduleFile(name, wasmModules[name]));
    if (firstPages) await writeFile(target, withFirstMemory(await readFile(file), firstPages));
    else if (lentPages) await writeFile(target, withLentMemory(await readFile(file), lentPages));
    else await copyFile(file, target);
  }
  const used = [];
  for (const thread of only ? [only] : threads)
    used.push(
      await bundled({
        entryPoints: [join(root, `src/${thread}.ts`)],
        outfile: join(outdir, `${thread}.js`),
        plugins: [loadedFiles(), ...plugins],
      }),
    );
  for (const [file, name] of Object.entries(chunks))
    if (!only || (only === "thread" && file.startsWith("imaging/")))
      used.push(await bundled({ entryPoints: [join(root, "src", file)], outfile: join(outdir, name) }));
  if (!only) {
    const entries = { plugins: [sharedFiles(), moduleImports(wasmModules), ...plugins] };
    used.push(
      await bundled({
        stdin: appEntry(),
        outfile: join(outdir, "app.js"),
        plugins: [loadedFiles(), ...plugins],
        define: { ...defined, SMALTI_CONFIG_TREE: JSON.stringify(JSON.stringify(await deriveConfigTree())) },
      }),
      await bundled({
        ...entries,
        entryPoints: [join(root, "src/main.ts")],
        outfile: join(outdir, "main.js"),
      }),
      await bundled({
        ...entries,
        entryPoints: [join(root, "src/program.ts")],
        outfile: join(outdir, "program.js"),
      }),
      await bundled({
        ...entries,
        entryPoints: [join(root, "src/index.ts")],
        outfile: join(outdir, "index.js"),
      }),
      await bundled({
        ...entries,
        entryPoints: [join(root, "src/workerd.ts")],
        outfile: join(outdir, "workerd.js"),
      }),
    );
    used.push(
      await bundled({
        entryPoints: [join(root, "src/imaging.ts")],
        outfile: join(outdir, "imaging.js"),
        plugins: [loadedFiles(), ...plugins],
      }),
    );
    await chmod(join(outdir, "main.js"), 0o755);
    await copyStatic(join(outdir, "static"));
    await copyFile(join(root, "src/server/hooks/hooks.d.ts"), join(outdir, "hooks.d.ts"));
    await copyFile(join(root, "src/server/start/library.d.ts"), join(outdir, "index.d.ts"));
    await copyFile(join(root, "src/server/start/config.d.ts"), join(outdir, "config.d.ts"));
    await copyFile(join(root, "src/imaging/library.d.ts"), join(outdir, "imaging.d.ts"));
    await copyFile(join(root, "src/server/start/worker.d.ts"), join(outdir, "workerd.d.ts"));
    await writeFile(
      join(outdir, "workerd.capnp"),
      workerdConfig(workerdModules(wasmModules), Object.values(chunks)),
    );
    // Deno reads this file next to the entry: it makes a request's signal abort only if the client has left.
    await writeFile(join(outdir, "deno.json"), `${JSON.stringify({ unstable: ["no-legacy-abort"] })}\n`);
    await writeFile(join(outdir, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`);
  }
  await writeContents(outdir, used, names, wasmModules);
  if (!only) markBuilt(outdir, digest);
  if (!quiet) await report(outdir);
}

/** Writes the licences of all packages in the bundles or shipped with them, and a bill of materials. */
async function writeContents(outdir, metafiles, names, table) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const moduleSources = names.flatMap((name) => table[name].package ?? []);
  const installed = [...moduleSources, "openseadragon/package.json", "minisearch/package.json"].map(
    (file) => `node_modules/${file}`,
  );
  const contained = await packagesOf(root, [...inputs, ...installed], viewerPackages);
  await writeFile(
    join(outdir, "THIRD_PARTY_LICENSES.txt"),
    await licenceText(root, contained, viewerNotices()),
  );
  const modules = await Promise.all(
    names.map(async (name) => ({
      file: moduleFile(name, table[name]),
      bytes: await readFile(join(outdir, moduleFile(name, table[name]))),
      package: /^(@[^/]+\/)?[^/]+/.exec(table[name].package ?? "")?.[0],
    })),
  );
  const bom = bundleBom({
    version: version(root),
    packages: contained,
    modules,
    prebuilt: viewerPackages.map(({ name }) => name),
  });
  await writeFile(join(outdir, "sbom.cdx.json"), `${JSON.stringify(bom, null, 2)}\n`);
}

/** Returns the file of each named module by name; compiles our own. */
async function moduleFiles(table, names) {
  const own = await buildWasm(names.filter((name) => table[name].source));
  return Object.fromEntries(names.map((name) => [name, own[name] ?? join(packages, table[name].package)]));
}

const plugins = [nodeBuiltins(), noDebug(), oneLanguage(), browserGlue()];

const defined = { SMALTI_VERSION: JSON.stringify(version(root)) };

/** Bundles one file; the packages and files that went into it. */
async function bundle(options) {
  const { metafile } = await esbuild.build({
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "import"],
    external: ["node:*", "cloudflare:*", "*.wasm"],
    minifySyntax: true,
    minifyWhitespace: true, // names stay: stack traces in logs are readable without a map
    legalComments: "none",
    define: defined,
    absWorkingDir: root,
    metafile: true,
    logLevel: "warning",
    plugins,
    ...options,
  });
  return metafile;
}

function appEntry() {
  const contents = shared.map((file) => `export * from "./src/${file}";`).join("\n");
  return { contents, resolveDir: root, sourcefile: "app.js" };
}

/** Entries take shared files from app.js. */
function sharedFiles() {
  return {
    name: "shared-files",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) => {
        if (kind === "entry-point") return undefined;
        const file = relative(join(root, "src"), resolve(dirname(importer), path));
        if (file === "program.ts") return { path: "./program.js", external: true };
        if (file.startsWith("..") || alone.test(file)) return undefined;
        if (shared.includes(file)) return { path: "./app.js", external: true };
        return {
          errors: [{ text: `src/${file} would be bundled twice: name it in "shared" of scripts/build.mjs` }],
        };
      });
    },
  };
}

/** Resolves `import()` of a file of src/ to that file in dist/. */
function loadedFiles() {
  return {
    name: "loaded-files",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = relative(join(root, "src"), resolve(dirname(importer), path));
        if (file.startsWith("..")) return undefined; // packages do so too
        if (chunks[file]) return { path: `./${chunks[file]}`, external: true };
        return {
          errors: [{ text: `src/${file} is loaded by import(): name it in "chunks" of scripts/build.mjs` }],
        };
      });
    },
  };
}

/** Returns the files of the modules that workerd has. */
const workerdModules = (table) =>
  Object.entries(table).flatMap(([name, row]) =>
    row.absentOn?.includes("workerd") ? [] : [moduleFile(name, row)],
  );

/**
 * The virtual module smalti:modules: WebAssembly modules by static import, and functions that import those
 * that are loaded on demand.
 */
function moduleImports(table) {
  const rows = Object.entries(table).filter(([, { absentOn }]) => !absentOn?.includes("workerd"));
  const early = rows.filter(([, { onDemand }]) => !onDemand);
  const imports = early.map(([name, row], i) => `import m${i} from "./${moduleFile(name, row)}";`);
  const members = early.map(([name], i) => `${JSON.stringify(name)}: m${i}`);
  const loaders = rows
    .filter(([, { onDemand }]) => onDemand)
    .map(([name, row]) => `${JSON.stringify(name)}: () => load("./${moduleFile(name, row)}")`);
  const contents = `${imports.join("\n")}
export default { ${members.join(", ")} };
// By a name that bundlers do not follow, so that a worker may lack them.
const load = (path) => import(path);
export const onDemand = { ${loaders.join(", ")} };`;
  return {
    name: "module-imports",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^smalti:modules$/ }, () => ({ path: "modules", namespace: "smalti" }));
      onLoad({ filter: /.*/, namespace: "smalti" }, () => ({ contents, loader: "js" }));
    },
  };
}

/** Resolves packages that import "http" to "node:http", and turns their requires into imports. */
function nodeBuiltins() {
  const names = new Set(builtinModules);
  return {
    name: "node-builtins",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) => {
        const name = path.replace(/^node:/, "");
        if (!names.has(name)) return undefined;
        if (kind === "require-call") return { path: name, namespace: "required-builtin" };
        return { path: `node:${name}`, external: true };
      });
      onLoad({ filter: /.*/, namespace: "required-builtin" }, ({ path }) => ({
        contents: `import builtin from "node:${path}"; module.exports = builtin;`,
        loader: "js",
      }));
    },
  };
}

/**
 * Removes the package debug, which would print what ioredis sends, including passwords, if the variable DEBUG
 * is set.
 */
function noDebug() {
  return {
    name: "no-debug",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^debug$/ }, () => ({ path: "debug", namespace: "no-debug" }));
      onLoad({ filter: /.*/, namespace: "no-debug" }, () => ({
        contents:
          "module.exports = () => Object.assign(() => {}, { enabled: false }); module.exports.default = module.exports;",
        loader: "js",
      }));
    },
  };
}

/**
 * Keeps only the English messages of zod: it includes those of 50 languages, 300 KB, which nothing here uses.
 */
function oneLanguage() {
  return {
    name: "one-language",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
        loader: "js",
      }));
    },
  };
}

/**
 * Disables runtime detection in Emscripten's glue. It uses Node's file functions whenever it detects Node,
 * which includes workerd and Deno; its modules come from us, so it needs none.
 */
function browserGlue() {
  return {
    name: "browser-glue",
    setup({ onLoad }) {
      onLoad(
        { filter: /(@cornerstonejs\/codec-[^/]+\/dist|@jsquash\/[^/]+\/codec)\/.*\.js$/ },
        async ({ path }) => {
          const text = await readFile(path, "utf8");
          const contents = text
            .replace(/ENVIRONMENT_IS_(WEB|WORKER|NODE)\s*=\s*typeof[^;]*;/g, "ENVIRONMENT_IS_$1=false;")
            .replace(/\brequire\("(?:node:)?(fs|path|url|crypto|worker_threads)"\)/g, "({})");
          return { contents, loader: "js" };
        },
      );
    },
  };
}

async function copyStatic(target) {
  checkViewers();
  await mkdir(target, { recursive: true });
  await cp(join(root, "static"), target, { recursive: true }).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  await buildSite(join(target, "docs"), { start: "../../" });
  // The page that searches an export: a browser has none of the conditions of a server.
  await bundle({
    entryPoints: [join(root, "src/site-search.ts")],
    outfile: join(target, "export/search.js"),
    platform: "browser",
    minifyIdentifiers: true,
  });
  const viewer = join(packages, "openseadragon");
  const place = join(target, "openseadragon");
  await mkdir(place, { recursive: true });
  await copyFile(
    join(viewer, "build/openseadragon/openseadragon.min.js"),
    join(place, "openseadragon.min.js"),
  );
  const [licence] = await licenceFiles(viewer);
  if (licence) await copyFile(join(viewer, licence), join(place, "LICENSE.txt"));
  await compressFiles(target);
}

async function report(directory) {
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const sizes = new Map();
  for (const entry of files) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const [top, ...below] = relative(directory, path).split("/");
    const isViewer = top === "static" && below[0] === "viewer";
    const group = isViewer ? "static/viewer/" : below.length > 0 ? `${top}/` : top;
    sizes.set(group, (sizes.get(group) ?? 0) + (await stat(path)).size);
  }
  const kib = (bytes) => `${(bytes / 1024).toFixed(0).padStart(7)} KiB`;
  for (const [group, bytes] of [...sizes].sort()) console.log(`${kib(bytes)}  ${group}`);
  console.log(
    `${kib([...sizes.values()].reduce((a, b) => a + b, 0))}  in all, ${relative(process.cwd(), directory) || "."} (${version(root)})`,
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
