// The examples of docs/how-to/library.md, verbatim, in a folder where the package is installed: the server
// responds next to a custom path and stops, and its types are correct.

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedProgram } from "../../scripts/packages.mjs";
import { freePort } from "../servers/free-port.ts";
import { masterOf, startOrigin } from "../servers/origin.ts";
import { packInto } from "./packed.ts";
import { expectJpeg, type Program, startProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = (name: string) => `${root}test/runtimes/node_modules/.bin/${name}`;
const page = readFileSync(`${root}docs/how-to/library.md`, "utf8");

/** The first example in a language of the section that begins with a heading. */
function example(heading: string, language: string): string {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? "";
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(section)?.[1];
  if (!code) throw new Error(`docs/how-to/library.md has no example in ${language} below "${heading}".`);
  return code;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-library-"));
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "@hono"), { recursive: true });
  execFileSync("tar", ["-xzf", packInto(folder).tarball, "-C", packages]);
  cpSync(join(packages, "package"), join(packages, "smalti"), { recursive: true });
  for (const name of ["hono", "@hono/node-server", "@types"])
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "dependencies": { "smalti": "*" } }');
  mkdirSync(join(folder, "images"));
  copyFileSync(`${root}test/fixtures/jpg-baseline-420.jpg`, join(folder, "images/map.jpg"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Resolves when the example responds; rejects with its output if it ends. */
async function responding(url: string, { isRunning, output }: Program): Promise<void> {
  for (;;) {
    if (!isRunning()) throw new Error(`The example ended:\n${output()}`);
    const response = await fetch(`${url}/hello`).catch(() => undefined);
    if ((await response?.text()) === "Hello") return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function expectTile(url: string): Promise<void> {
  const id = `${url}/iiif/3/map.jpg`;
  const info = await fetch(`${id}/info.json`);
  expect(await info.json()).toMatchObject({ id, width: 600, height: 400 });
  await expectJpeg(`${id}/0,0,256,256/128,/0/default.jpg`);
}

test.each([
  ["Node", [process.execPath]],
  ["Deno", [bin("deno"), "run", "--no-prompt", "--node-modules-dir=manual", "--allow-read"]],
  ["Bun", [bin("bun"), "run"]],
])("the example of smalti/imaging reads a JPEG, a TIFF and a JP2 on %s", (_, command) => {
  const readme = readFileSync(`${root}src/imaging/README.md`, "utf8");
  const code = /^```js\n(.*?)^```$/ms.exec(readme)?.[1] ?? "";
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
  writeFileSync(join(folder, "region.mjs"), code);
  const names = ["jpg-baseline-420.jpg", "tif-jpeg-ycbcr-tiled.tif", "jp2-reversible.jp2"];
  const paths = names.map((name) => `${root}test/fixtures/${name}`);
  const [file = "", ...flags] = command;
  const { stdout, stderr } = spawnSync(file, [...flags, "region.mjs", ...paths], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([stdout.replace(/ \d+\n/g, "\n"), stderr]).toEqual([
    ["jpg", "tif", "jp2"].map((format) => `${format} 600 x 400 ${256 * 256 * 3}\n`).join(""),
    "",
  ]);
});

test("the first example ends on its own", () => {
  writeFileSync(join(folder, "first.mjs"), `${example("# In your", "ts")}\nconsole.log(response.status);`);
  const { stdout, stderr } = spawnSync(process.execPath, ["first.mjs"], { cwd: folder, encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["200\n", ""]);
});

test.each([
  ["Hono", [process.execPath]],
  ["node:http", [process.execPath]],
  [
    "Deno",
    [
      bin("deno"),
      ..."run --no-prompt --node-modules-dir=manual --allow-net --allow-read --allow-env --allow-sys --allow-write --unstable-no-legacy-abort".split(
        " ",
      ),
    ],
  ],
  ["Bun", [bin("bun"), "run"]],
])("the example of %s serves next to another path, and stops cleanly", async (name, command) => {
  const file = `${name.replace(/\W/g, "").toLowerCase()}.mjs`;
  writeFileSync(join(folder, file), example(name, "ts"));
  const port = await freePort();
  const program = startProgram([...command, file], { cwd: folder, env: { ...process.env, PORT: `${port}` } });
  try {
    const url = `http://127.0.0.1:${port}`;
    await responding(url, program);
    await expectTile(url);
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
    expect(program.output()).not.toMatch(/error|warn/i);
  } finally {
    program.signal("SIGKILL");
  }
});

test("the example of Cloudflare Workers serves next to another path, bundled by wrangler", async () => {
  const origin = await startOrigin({
    "masters/map.jpg": masterOf(readFileSync(join(folder, "images/map.jpg"))),
  });
  const worker = join(folder, "worker");
  mkdirSync(worker);
  symlinkSync(join(folder, "node_modules"), join(worker, "node_modules"));
  writeFileSync(join(worker, "worker.js"), example("Cloudflare Workers", "js"));
  writeFileSync(
    join(worker, "wrangler.toml"),
    example("Cloudflare Workers", "toml").replace("https://images.example.org", origin.url),
  );
  const [port, inspector] = await Promise.all([freePort(), freePort()]);
  const args = ["dev", `--port=${port}`, `--inspector-port=${inspector}`, "--ip=127.0.0.1"];
  const program = startProgram([bin("wrangler"), ...args, "--show-interactive-dev-session=false"], {
    cwd: worker,
    env: { ...process.env, HOME: folder, WRANGLER_SEND_METRICS: "false", CI: "true", NO_COLOR: "1" },
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await responding(url, program);
    await expectTile(url);
    expect((await fetch(`${url}/static/admin/admin.css`)).status).toBe(200);
  } finally {
    program.signal("SIGINT");
    await program.ended;
    await origin.close();
  }
});

/** Returns what the compiler says about files in the folder. */
function check(files: readonly string[], skipLibCheck: boolean): string {
  const flags =
    "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --types node";
  const line = [
    ...flags.split(" "),
    ...(skipLibCheck ? ["--skipLibCheck"] : []),
    "--pretty",
    "false",
    ...files,
  ];
  return spawnSync(packagedProgram("scripts/check", "tsc"), line, { cwd: folder, encoding: "utf8" }).stdout;
}

test("the types of the package fit the examples, and refuse unknown options", () => {
  const names = ["# In your", "Hono", "node:http"];
  for (const [i, name] of names.entries()) writeFileSync(join(folder, `typed-${i}.mts`), example(name, "ts"));
  writeFileSync(
    join(folder, "wrong.mts"),
    'import { createHandler } from "smalti";\nawait createHandler({ root: "." });',
  );
  writeFileSync(
    join(folder, "worker.mts"),
    [
      'import smalti from "smalti/workerd";',
      'import type { Resolve } from "smalti/hooks";',
      "// As `wrangler types` writes it.",
      "interface Env { SMALTI_CONFIG: string }",
      "interface Context { waitUntil(promise: Promise<unknown>): void }",
      "export default { fetch: (request: Request, env: Env, context: Context) => smalti.fetch(request, env, context) };",
      "export type { Resolve };",
    ].join("\n"),
  );
  const told = check([...names.map((_, i) => `typed-${i}.mts`), "worker.mts", "wrong.mts"], true);
  expect(told).toMatch(/^wrong\.mts\(2,\d+\): .*'root' does not exist in type 'HandlerOptions'/);
  expect(told.match(/^\S/gm)).toHaveLength(1);
});

test("the configuration has the types of its schema, also without skipLibCheck", () => {
  const source = '{ name: "a", type: "filesystem", root: "." }';
  const right = `{ sources: [${source}], cache: { render: { backend: "heap" } }, log: { level: "warn" } }`;
  const wrong = [
    ['{ bas_url: "" }', "Did you mean to write 'base_url'?"],
    ['{ log: { level: "loud" } }', "is not assignable to type"],
    ['{ sources: [{ name: "a", type: "filesystem" }] }', "Property 'root' is missing"],
    ['{ image: { tile_size: "512" } }', "is not assignable to type 'number"],
  ] as const;
  const texts = [right, ...wrong.map(([text]) => text)];
  for (const [i, text] of texts.entries())
    writeFileSync(
      join(folder, `config-${i}.mts`),
      `import { createHandler, type Config } from "smalti";\nconst config: Config = ${text};\nawait createHandler({ config });`,
    );
  const told = check(
    texts.map((_, i) => `config-${i}.mts`),
    false,
  );
  const toldOf = (i: number) => told.split(/^(?=\S)/m).filter((each) => each.startsWith(`config-${i}.mts(`));
  for (const [i, [, message]] of wrong.entries()) expect(toldOf(i + 1).join("")).toContain(message);
  // Nothing about the right one, nor about a file of the package.
  expect(wrong.flatMap((_, i) => toldOf(i + 1)).join("")).toBe(told);
});

describe.each([
  ["esbuild", "esm"],
  ["esbuild", "cjs"],
  ["rolldown", "esm"],
] as const)("bundled by %s as %s", (bundler, format) => {
  const code = `import { createHandler } from "smalti";
import { open, useFiles } from "smalti/imaging";
import { readFileSync } from "node:fs";
async function main([folder, files]) {
  if (files) useFiles(files);
  const smalti = await createHandler({ folder, ...(files && { files }) });
  const statusOf = async (path) => (await smalti(new Request("http://localhost" + path))).status;
  console.log(await statusOf("/iiif/3/map.jpg/0,0,256,256/128,/0/default.jpg"), await statusOf("/static/home/home.css"));
  const master = await open(readFileSync(folder + "/map.jpg"));
  console.log((await master.read({ x: 0, y: 0, width: 8, height: 8 })).data.length);
  await smalti.close();
}
main(process.argv.slice(2)).catch((error) => console.log(error.message));`;
  const extension = format === "esm" ? "mjs" : "cjs";
  let file: string;
  beforeAll(async () => {
    const input = join(folder, "bundled.mjs");
    file = join(folder, "bundles", `${bundler}.${extension}`);
    writeFileSync(input, code);
    if (bundler === "esbuild")
      await esbuild.build({
        entryPoints: [input],
        bundle: true,
        platform: "node",
        format,
        outfile: file,
        logLevel: "error",
      });
    else {
      const built = await rolldown({ input, platform: "node", logLevel: "silent" });
      await built.write({ file, format, codeSplitting: false });
      await built.close();
    }
  });
  /** Runs the program in its folder. */
  const run = (program: string, ...args: string[]) => {
    const line = [program, join(folder, "images"), ...args];
    const { stdout, stderr } = spawnSync(process.execPath, line, { cwd: dirname(program), encoding: "utf8" });
    return [stdout, stderr];
  };

  test("it finds its files in the package that is installed above it", () => {
    expect(run(file)).toEqual(["200 200\n192\n", ""]);
  });

  test("it finds them in the folder of the option, and without it says what to do", () => {
    const away = mkdtempSync(join(tmpdir(), "smalti-bundled-"));
    try {
      const copy = join(away, basename(file));
      copyFileSync(file, copy);
      const [dist, files] = [join(folder, "node_modules/smalti/dist"), join(away, "files")];
      // A copy has no packages above it. One bundle shows that it needs none; the others get a link, which
      // takes less time.
      if (bundler === "rolldown") cpSync(dist, files, { recursive: true });
      else symlinkSync(dist, files);
      expect(run(copy, "files")).toEqual(["200 200\n192\n", ""]);
      const [message = ""] = run(copy);
      expect(message).toMatch(/^the files of smalti .* not next to this module, .* option files.*\n$/);
      expect(run(copy, "images")[0]).toMatch(
        /^expected the folder dist of the package smalti, received images/,
      );
    } finally {
      rmSync(away, { recursive: true, force: true });
    }
  });
});

test("two handlers in a program are independent, and report faults of a configuration", async () => {
  const { createHandler } = (await import(
    pathToFileURL(join(folder, "node_modules/smalti/dist/index.js")).href
  )) as typeof import("../../src/index.ts");
  const lines: string[] = [];
  const options = { cwd: folder, folder: "images" };
  const [one, other] = await Promise.all([
    createHandler({
      ...options,
      config: "limits: { max_in_flight_per_ip: 1 }",
      log: (line) => lines.push(line),
    }),
    createHandler({ ...options, config: { presentation: { enabled: false } } }),
  ]);
  const tile = () => new Request("http://localhost/iiif/3/map.jpg/full/max/7/default.png");
  const from = (clientAddress: string) => one(tile(), { clientAddress });
  const responses = await Promise.all([from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.2")]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  expect(lines.some((line) => line.includes("client=192.0.2.0/24"))).toBe(true);
  expect((await one(new Request("http://localhost/iiif/presentation/3/map.jpg"))).status).toBe(200);
  expect((await other(new Request("http://localhost/iiif/presentation/3/map.jpg"))).status).toBe(404);
  // As from a socket that has closed.
  for (const clientAddress of [null, undefined])
    expect((await one(tile(), { clientAddress })).status).toBe(200);
  await one.close();
  expect((await one(tile())).status).toBe(503);
  expect((await other(tile())).status).toBe(200);
  await other.close();
  await expect(createHandler({ config: { imag: {}, cache: { render: 5 } } as object })).rejects.toThrow(
    /imag: .*\n.*cache\.render/s,
  );
});
