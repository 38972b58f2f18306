// What starts the server in a checkout without Node on the PATH: `deno task start` and `bun run start`.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = `${root}test/runtimes/node_modules/.bin/`;
/** What git does not hold, and what neither a build nor a start reads. */
const left = new Set([".git", "node_modules", "dist", "test", "bench", ".cache", ".wrangler"]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-checkout-"));
  mkdirSync(join(folder, "images"));
  cpSync(`${root}test/fixtures/jpg-baseline-420.jpg`, join(folder, "images/a.jpg"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["deno", ["task", "start"]],
  ["bun", ["run", "start"]],
])(
  "%s without Node builds a fresh checkout, serves the folder that it is told, and stops cleanly",
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
    const child = spawn(join(path, name), [...args, join(folder, "images")], {
      cwd: checkout,
      env: { PATH: path, HOME: folder, SERVICE_ADDR: `127.0.0.1:${port}`, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group of its own, as a terminal has it
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
    const ended = new Promise((resolve) => child.once("close", resolve));
    try {
      await expect
        .poll(() => (child.exitCode === null ? output : `${output}\nended`))
        .toMatch(/an image +http|ended/);
      expect(output).toContain("smalti: dist/ was built in");
      expect(output).toMatch(new RegExp(`^smalti \\S+ on ${name} `, "m"));
      const tile = await fetch(`http://127.0.0.1:${port}/iiif/3/a.jpg/0,0,256,256/128,/0/default.jpg`);
      expect([tile.status, tile.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      expect([...new Uint8Array(await tile.arrayBuffer()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
      process.kill(-(child.pid as number), "SIGINT");
      await ended;
      expect(output).toContain("stopping");
    } finally {
      if (child.exitCode === null && child.signalCode === null)
        process.kill(-(child.pid as number), "SIGKILL");
    }
  },
);
