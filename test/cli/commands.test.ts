// Command lines that end: check, version, help, and mistakes, each with its output and its exit code.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-cli-"));
  mkdirSync(join(folder, "images"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images", "base.png"));
  writeFileSync(join(folder, "a-file"), "x");
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

function write(name: string, yaml: string): string {
  const path = join(folder, name);
  writeFileSync(path, yaml);
  return path;
}

/** Listening does not wait until it is known that a start is a mistake. */
const anyPort = { SERVICE_ADDR: "127.0.0.1:0" };

const lines = (text: string) => text.trimEnd().split("\n");

describe("version and help", () => {
  test.each([["version"], ["--version"], ["-v"]])("%s prints the version", async (word) => {
    const out = expect.stringMatching(/^\d+\.\d+\.\d+(\+[0-9a-f]{7})?\n$/);
    expect(await built.run([word])).toEqual({ code: 0, out, err: "" });
  });

  test.each([["help"], ["--help"], ["-h"]])("%s prints every command and variable", async (word) => {
    const { code, out } = await built.command([word]);
    expect(code).toBe(0);
    for (const name of [
      "smalti DIR",
      "check",
      "version",
      "-config FILE",
      "SERVICE_CONFIG",
      "SERVICE_ADDR",
      "130",
    ])
      expect(out).toContain(name);
  });
});

describe.skipIf(!existsSync("/dev/full"))("a standard output that cannot be written", () => {
  const toDevice = (device: string, ...args: string[]) => {
    const script = `"$@" > ${device}`;
    return spawnSync("bash", ["-c", script, "bash", process.execPath, join(built.dist, "main.js"), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  };

  test.each([
    ["help"],
    ["version"],
    ["info", "images/base.png", "--json"],
    ["render", "images/base.png", "full/max/0/default.png", "-o", "-"],
  ])("is exit code 1 of %s", (...args) => {
    const { status, stderr } = toDevice("/dev/full", ...args);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^smalti: the standard output cannot be written: ENOSPC.*\n$/),
    ]);
  });

  test("is no failure if its reader has gone", () => {
    const args = ["render", "images/base.png", "full/max/0/default.png", "-o", "-"];
    const { status, stderr } = toDevice(">(exec 0<&-)", ...args);
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("help about one command", () => {
  const commands: Readonly<Record<string, readonly string[]>> = {
    serve: ["smalti [serve]", "-config FILE"],
    check: ["smalti check"],
    "hook test": ["smalti hook test", "--identifier", "--header"],
    doctor: ["smalti doctor [IMAGE…]", "--no-measure", "smalti doctor auth"],
    "doctor auth": ["smalti doctor auth", "--origin"],
    "hash-password": ["smalti hash-password", "--cost N", "from 4 to 15"],
    completions: ["smalti completions SHELL"],
    version: ["smalti version"],
  };
  const spellings = Object.keys(commands).flatMap((command) => [
    [command, `${command} --help`],
    [command, `${command} -h`],
    [command, `help ${command}`],
  ]);

  test.each(spellings)("%s: %s", async (command, line) => {
    const { code, out, err } = await built.command(line.split(" "));
    expect([code, err]).toEqual([0, ""]);
    for (const text of commands[command] ?? []) expect(out).toContain(text);
    // Nothing of other commands: usage lines begin with their name.
    const [first] = command.split(" ");
    for (const [, named] of out.matchAll(/^smalti \[?([a-z-]+)/gm)) expect(named).toBe(first);
  });

  test("is found behind flags and images", async () => {
    const about = (await built.command(["help", "doctor"])).out;
    expect((await built.command(["doctor", "ms-1.tif", "--json", "--help"])).out).toBe(about);
    expect((await built.command(["-config", "none.yaml", "doctor", "--help"])).out).toBe(about);
  });
});

describe("check", () => {
  const named = "base_url: https://images.example.org\n";

  test.each([
    ["sources: []", /anybody can send/],
    ["addr: 127.0.0.1:8080\ntrusted_proxies: [127.0.0.1]", /pass on from clients/],
  ])("warns if clients choose the address that ids begin with: %j", async (text, reason) => {
    const { code, err } = await built.command(["check", "-config", write("nameless.yaml", text)]);
    expect([code, lines(err)]).toEqual([
      0,
      [expect.stringMatching(/^smalti: warning: .*base_url: is not set, so ids begin with an address/)],
    ]);
    expect(err).toMatch(reason);
  });

  test("ends by itself if a JavaScript hook is configured", async () => {
    write("hook.js", "export const resolve = () => undefined;");
    const file = write("hook.yaml", `${named}hook: { engine: js, js: { file: hook.js } }`);
    expect(await built.run(["check", "-config", file])).toMatchObject({ code: 0, err: "" });
  });

  const yaml = `
addr: 127.0.0.1:8181
sources: [{ name: scans, type: filesystem, root: ./images }]
cache: { render: { backend: filesystem, path: ./cache, max_bytes: 1GiB } }
image: { max_pixel_area: 5000000 }
`;

  test("prints the configuration with all defaults; that text is a configuration with the same meaning", async () => {
    const first = await built.run(["check", "-config", write("full.yaml", yaml)]);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain(`root: ${join(folder, "images")}`);
    expect(lines(first.out).at(-1)).toBe("# No mistakes found.");
    expect(first.out).toContain("tile_size: 512");
    mkdirSync(join(folder, "elsewhere"), { recursive: true });
    const second = await built.command(["check", "-config", write("elsewhere/again.yaml", first.out)]);
    expect(second).toEqual(first);
  });

  test("warns about doubtful values, on standard error, and exits 0", async () => {
    const { code, out, err } = await built.command([
      "check",
      "-config",
      write("tall.yaml", `${named}image: { max_output_height: 500 }`),
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining("max_output_height: 500")]);
    expect(lines(out).at(-1)).toBe("# No mistakes found, but 1 warning, on the standard error.");
    expect(lines(err)).toEqual([
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: image\.max_output_height: .*max_output_width/,
      ),
    ]);
  });

  test("warns about unusable folders, and creates none", async () => {
    const file = write(
      "folders.yaml",
      `${named}sources: [{ name: a, type: filesystem, root: ./nowhere }]\ncache: { render: { backend: filesystem, path: ./a-file/x }, info: { backend: filesystem, path: ./made/later } }`,
    );
    const { code, out, err } = await built.command(["check", "-config", file]);
    expect([code, out]).toEqual([0, expect.stringContaining("nowhere")]);
    expect(lines(err)).toEqual([
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: sources\.0\.root: \/.*\/nowhere: .*nothing is there/,
      ),
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: cache\.render\.path: \/.*\/a-file\/x: .*a part of its path is a file/,
      ),
    ]);
    expect(readdirSync(folder)).not.toContain("made");
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("warns of an overlay that is no image; its name is relative to the file, a source's key is not", async () => {
    const checked = async (image: string) =>
      lines(
        (
          await built.command([
            "check",
            "-config",
            write("mark.yaml", `${named}overlay: { image: "${image}" }`),
          ])
        ).err,
      );
    expect(await checked("./a-file")).toEqual([
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: overlay\.image: \/.*\/a-file: .*is not a JPEG, PNG/,
      ),
    ]);
    expect(await checked("sample:none.png")).toEqual([
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: overlay\.image: sample:none\.png: .*is not in source "sample"/,
      ),
    ]);
  });

  test("warns of servers that cannot be reached, and ends", async () => {
    // Nobody listens on port 1.
    const file = write(
      "away.yaml",
      `${named}sources: [{ name: far, type: http, url: "http://127.0.0.1:1/{identifier}?key=hunter2" }]
cache: { info: { backend: redis, addr: "127.0.0.1:1" } }`,
    );
    const { code, out, err } = await built.run(["check", "-config", file]);
    expect([code, out]).toEqual([0, expect.stringContaining("name: far")]);
    expect(lines(err)).toEqual([
      expect.stringMatching(
        /^smalti: warning: line \d+, column \d+: sources\.0\.url: http:\/\/127\.0\.0\.1:1\/\{identifier\}\?key=\*\*\*: .*does not respond/,
      ),
      expect.stringMatching(/^smalti: warning: line \d+, column \d+: cache\.info: /),
    ]);
  });

  test("shows the overrides of the environment", async () => {
    const { out } = await built.command(["check", "-config", write("env.yaml", yaml)], {
      env: { SERVICE_MAX_PIXEL_AREA: "77", SERVICE_ADDR: ":9" },
    });
    expect(out).toContain("max_pixel_area: 77");
    expect(out).toContain("addr: :9");
  });

  test("prints every problem with its line and key on standard error, and exits with code 1", async () => {
    const file = write("bad.yaml", "adr: x\nimage: { tile_size: 1, timeout: 5 }\nlog: { level: loud }");
    const { code, out, err } = await built.run(["check", "-config", file]);
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)[0]).toBe(`smalti: the configuration in ${file} has 4 problems:`);
    expect(
      lines(err)
        .slice(1)
        .map((line) => line.split(": ").slice(0, 2).join(" ").trim())
        .sort(),
    ).toEqual([
      "line 1, column 1 adr",
      "line 2, column 10 image.tile_size",
      "line 2, column 24 image.timeout",
      "line 3, column 8 log.level",
    ]);
  });

  test("names the variable of a bad override", async () => {
    const { code, err } = await built.command(["check"], { env: { SERVICE_ADDR: "8080" } });
    expect(code).toBe(1);
    expect(err).toContain("(from SERVICE_ADDR)");
  });
});

describe("the configuration file", () => {
  test.each([
    ["-config FILE", (file: string) => ["check", "-config", file]],
    ["--config FILE", (file: string) => ["check", "--config", file]],
    ["-config=FILE", (file: string) => ["check", `-config=${file}`]],
    ["--config=FILE", (file: string) => ["check", `--config=${file}`]],
    ["the flag before the command", (file: string) => ["-config", file, "check"]],
  ])("can be named by %s", async (_, args) => {
    const file = write("named.yaml", "image: { tile_size: 321 }");
    expect((await built.command(args(file))).out).toContain("tile_size: 321");
  });

  test("is named by SERVICE_CONFIG without a flag; a flag takes precedence", async () => {
    const env = { SERVICE_CONFIG: write("by-env.yaml", "image: { tile_size: 111 }") };
    expect((await built.command(["check"], { env })).out).toContain("tile_size: 111");
    const flag = write("by-flag.yaml", "image: { tile_size: 222 }");
    expect((await built.command(["check", "-config", flag], { env })).out).toContain("tile_size: 222");
  });

  test("is relative to the working directory, and paths inside it to the file", async () => {
    mkdirSync(join(folder, "etc"), { recursive: true });
    write("etc/smalti.yaml", "sources: [{ name: a, type: filesystem, root: ../images }]");
    const { out } = await built.command(["check", "-config", "etc/smalti.yaml"], { cwd: folder });
    expect(out).toContain(`root: ${join(folder, "images")}\n`);
  });
});

describe("an unknown command line gets one line of advice, and exit code 2", () => {
  test.each<[string, readonly string[], RegExp]>([
    ["an unknown flag", ["--colour", "a"], /serve does not know --colour; see smalti serve --help/],
    ["a second folder", ["a", "b"], /unexpected argument b/],
    ["a folder for check", ["check", "images"], /unexpected argument images/],
    ["-config without a name", ["-config"], /--config needs a value: --config FILE/],
    ["-config= without a name", ["-config="], /--config needs a value/],
    ["hook without test", ["hook"], /expected hook test, received hook/],
    ["an unknown flag of doctor", ["doctor", "a.jpg", "--fast"], /doctor does not know --fast/],
    ["an unknown shell", ["completions", "tcsh"], /SHELL expects bash, zsh or fish, received tcsh/],
    ["an unknown flag of hash-password", ["hash-password", "secret"], /hash-password takes only --cost N/],
    ["a command with a letter missing", ["chek"], /chek is neither a command nor .*; did you mean check\?/],
    ["a command with two letters swapped", ["sevre"], /; did you mean serve\?/],
    ["help about a misspelt command", ["help", "chek"], /there is no command chek; did you mean check\?/],
    ["help about what is no command", ["help", "everything"], /there is no command everything; see smalti/],
  ])("%s", async (_, args, message) => {
    const { code, out, err } = await built.command(args, { cwd: folder });
    expect([code, out]).toEqual([2, ""]);
    expect(lines(err)).toEqual([expect.stringMatching(message)]);
    expect(err).toMatch(/^smalti: /);
  });
});

describe("mistakes get one line of advice, and exit code 1", () => {
  test.each<[string, readonly string[], RegExp]>([
    ["a file that is not there", ["-config", "none.yaml"], /there is no configuration file .*none\.yaml/],
    ["a folder as the file", ["-config", "images"], /the configuration file .* cannot be read/],
    ["a folder that is not there", ["missing"], /missing is not a readable folder; give a folder/],
    ["a file as the folder", ["a-file"], /a-file is not a readable folder; give a folder/],
  ])("%s", async (_, args, message) => {
    const { code, out, err } = await built.command(args, { cwd: folder });
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)).toEqual([expect.stringMatching(message)]);
    expect(err).toMatch(/^smalti: /);
  });

  test("a folder together with sources in the file", async () => {
    const file = write("sources.yaml", "sources: [{ name: a, type: filesystem, root: ./images }]");
    const { code, err } = await built.run(["-config", file, "images"], { cwd: folder });
    expect(code).toBe(1);
    expect(lines(err)).toEqual([
      expect.stringMatching(/a folder \(images\) and sources in .* exclude each other/),
    ]);
  });

  test("an overlay that is not there", async () => {
    const file = write("unmarked.yaml", "overlay: { image: none.png }");
    const { code, out, err } = await built.command(["-config", file], { env: anyPort });
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)).toEqual([
      expect.stringMatching(
        /^smalti: overlay "none\.png" at \/.*\/none\.png: .*not there; correct the file or overlay\.image/,
      ),
    ]);
  });

  test("a root that is not there", async () => {
    const file = write("gone.yaml", "sources: [{ name: scans, type: filesystem, root: ./gone }]");
    const { code, out, err } = await built.command(["-config", file], { env: anyPort });
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)).toEqual([
      expect.stringMatching(/source "scans" at \/.*\/gone: .*Create it, mount it, or correct root/),
    ]);
  });

  test.runIf(process.getuid?.() === 0)("a root that this user may not read", async () => {
    const root = join(folder, "locked");
    mkdirSync(root);
    chmodSync(root, 0o700);
    chmodSync(folder, 0o755);
    chmodSync(join(built.dist, ".."), 0o755);
    const file = write(
      "locked.yaml",
      "sources: [{ name: scans, type: filesystem, root: ./locked }]\ncache: { origin: { backend: none } }",
    );
    const { code, err } = await built.run(["-config", file], {
      uid: 65_534,
      cwd: "/",
      env: anyPort,
    });
    expect(code).toBe(1);
    expect(lines(err)).toEqual([
      expect.stringMatching(/source "scans" at .*\/locked: .*cannot be read.*right to read/),
    ]);
  });

  test("a port in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const env = { SERVICE_ADDR: `127.0.0.1:${port}` };
    const { code, out, err } = await built.run([], { env });
    // A free port, on the same interface.
    const { url, process: child } = await built.serve(["--port", "0"], { env });
    child.kill();
    other.close();
    expect(url).not.toBe(`http://127.0.0.1:${port}`);
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)).toEqual([
      expect.stringMatching(
        new RegExp(`:${port} is in use by another program; .*--port ${Number(port) + 1}$`),
      ),
    ]);
  });

  test("a port in use, without waiting for an origin that never responds", async () => {
    // Takes connections and says nothing.
    const silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const file = write(
      "silent.yaml",
      `sources: [{ name: far, type: http, url: "http://127.0.0.1:${port}/{identifier}" }]`,
    );
    const { code, out, err } = await built.run(["-config", file], {
      env: { SERVICE_ADDR: `127.0.0.1:${port}` },
    });
    silent.close();
    expect([code, out]).toEqual([1, ""]);
    // Were the check waited for, the log would name the source before.
    expect(lines(err)).toEqual([
      expect.stringMatching(new RegExp(`:${port} is in use by another program; `)),
    ]);
  });

  test.each(["18.20.8", "20.8.1"])("Node %s", async (version) => {
    const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;
    const { code, out, err } = await built.run(["version"], { flags: ["--import", pretend] });
    expect([code, out]).toEqual([1, ""]);
    expect(lines(err)).toEqual([
      `smalti: expected Node 20.9 or newer, received ${version}; install a newer Node, or run it with Deno or Bun`,
    ]);
  });
});
