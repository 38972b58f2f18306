// Starting the server in a checkout without Node on the PATH: `deno task start` and `bun run start`.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampled } from "../sampled.ts";
import { freePort } from "../servers/free-port.ts";
import { expectJpeg, startProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = `${root}test/runtimes/node_modules/.bin/`;
/** Folders outside of git, and those that neither a build nor a start reads. */
const left = new Set([".git", "node_modules", "dist", "test", "bench", ".cache", ".wrangler"]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-checkout-"));
  mkdirSync(join(folder, "images"));
  cpSync(`${root}test/fixtures/jpg-baseline-420.jpg`, join(folder, "images/a.jpg"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const starts: readonly (readonly [string, readonly string[]])[] = [
  ["deno", ["task", "start"]],
  ["bun", ["run", "start"]],
];

// Each takes a whole build, which is the same program for both.
test.each(sampled("starts of a checkout", starts, 1))(
  "%s without Node builds a fresh checkout, serves the folder in its arguments, and stops cleanly",
  async (name, args) => {
    const checkout = join(folder, name);
    mkdirSync(checkout);
    for (const entry of readdirSync(root))
      if (!left.has(entry)) cpSync(join(root, entry), join(checkout, entry), { recursive: true });
    mkdirSync(join(checkout, "node_modules"));
    for (const entry of readdirSync(`${root}node_modules`))
      if (entry !== ".bin")
        symlinkSync(`${root}node_modules/${entry}`, join(checkout, "node_modules", entry));
    // The runtime alone, and the shell.
    const path = join(folder, `${name}-path`);
    mkdirSync(path);
    symlinkSync(realpathSync(`${programs}${name}`), join(path, name));
    symlinkSync("/bin/sh", join(path, "sh"));
    const port = await freePort();
    const program = startProgram([join(path, name), ...args, join(folder, "images")], {
      cwd: checkout,
      env: { PATH: path, HOME: folder, SERVICE_ADDR: `127.0.0.1:${port}`, NO_COLOR: "1" },
    });
    try {
      await program.said(/an image +http/);
      expect(program.output()).toContain("smalti: dist/ was built in");
      expect(program.output()).toMatch(new RegExp(`^smalti \\S+ on ${name} `, "m"));
      await expectJpeg(`http://127.0.0.1:${port}/iiif/3/a.jpg/0,0,256,256/128,/0/default.jpg`);
      program.signal("SIGINT");
      await program.ended;
      expect(program.output()).toContain("stopping");
    } finally {
      program.signal("SIGKILL");
    }
  },
);
