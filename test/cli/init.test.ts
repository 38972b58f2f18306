// The command init: its questions on a terminal and from the standard input, and the file that it writes.

import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { verifyHere } from "../../src/server/access/passwords/hash.ts";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let top: string;
let folder: string;
beforeAll(async () => {
  built = await buildProgram();
  top = mkdtempSync(join(tmpdir(), "smalti-init-"));
});
let count = 0;
beforeEach(() => {
  folder = join(top, `${count++}`);
  mkdirSync(join(folder, "scans", "box"), { recursive: true });
  for (const name of ["a.png", "b.png", "box/c.png"])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, "scans", name));
});
afterAll(() => {
  built.remove();
  rmSync(top, { recursive: true });
});

const file = (name = "smalti.yaml") => join(folder, name);
const inputOf = (lines?: readonly string[]) => ({
  cwd: folder,
  ...(lines && { input: lines.map((line) => `${line}\n`).join("") }),
});
const init = (args: readonly string[], lines?: readonly string[]) =>
  built.command(["init", ...args], inputOf(lines));
const written = (name?: string) => parse(readFileSync(file(name), "utf8"));

/** Runs a command line on a terminal: types each reply when the text before it has appeared. */
async function onTerminal(
  args: readonly string[],
  steps: readonly (readonly [wait: string, type: string])[],
) {
  const script = `
import json, os, pty, signal, sys
steps = json.loads(sys.argv[1])
signal.alarm(600)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
out, seen = b"", 0
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    out += part
    while steps and steps[0][0].encode() in out[seen:]:
        seen = len(out)
        os.write(terminal, steps.pop(0)[1].encode())
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"code": code, "out": out.decode()}))
`;
  const line = [process.execPath, join(built.dist, "main.js"), "init", ...args];
  const { stdout } = await promisify(execFile)("python3", ["-c", script, JSON.stringify(steps), ...line], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: top },
  });
  const { code, out } = JSON.parse(stdout) as { code: number; out: string };
  return { code, out: out.replaceAll("\r\n", "\n") };
}

describe("smalti init on a terminal", () => {
  test("asks until each reply is valid, and shows no password", async () => {
    const { code, out } = await onTerminal(
      [],
      [
        ["[.] ", "nowhere\n"],
        ["no folder", "./scans\n"],
        ["[http://localhost:8080] ", "images.example.org\n"],
        ["begins with http", "https://images.example.org/images\n"],
        ["[local] ", "none\n"],
        ["does not speak TLS", "\n"],
        ["[./cache 10GiB] ", "./scans/cache 1GiB\n"],
        ["give another folder", "./cache 128MiB\n"],
        ["[everyone] ", "password\n"],
        ["first reader: ", "ada\n"],
        ["Password: ", "correct horsx\x7fe\r"],
        ["[yes] ", "perhaps\n"],
        ["yes or no", "\n"],
      ],
    );
    expect(code, out).toBe(0);
    expect(out).toContain("3 images in 2 folders");
    expect(out).not.toContain("horse");
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^ {4}.*-config smalti\.yaml$/);
    const config = written();
    expect(config).toMatchObject({
      addr: "127.0.0.1:8080",
      base_url: "https://images.example.org/images",
      trusted_proxies: ["127.0.0.1", "::1"],
      sources: [{ type: "filesystem", root: "./scans" }],
      cache: { render: { path: "./cache", max_bytes: "64MiB" }, origin: { max_bytes: "64MiB" } },
      auth: { strict_profiles: true, rules: [{ match: "*", profile: "readers" }] },
      crawlers: { mode: "observe" },
    });
    expect(verifyHere("correct horse", config.auth.profiles.readers.access_service.users.ada)).toBe(true);
    const check = await built.run(["check", "-config", file()]);
    expect(check).toMatchObject({ code: 0, err: "" });
  });

  test.each([
    ["Ctrl+C at a question", [["[.] ", "\x03"]]],
    ["Ctrl+D at a question", [["[.] ", "\x04"]]],
    [
      "Ctrl+C at the password",
      [
        ["[.] ", "./scans\n"],
        ["[http://localhost:8080] ", "\n"],
        ["[none] ", "\n"],
        ["[./cache 10GiB] ", "memory\n"],
        ["[everyone] ", "password\n"],
        ["first reader: ", "ada\n"],
        ["Password: ", "secret\x03"],
      ],
    ],
  ] as const)("ends without a file at %s", async (_, steps) => {
    expect(await onTerminal([], steps)).toMatchObject({ code: 130 });
    expect(existsSync(file())).toBe(false);
  });
});

describe("smalti init from the standard input", () => {
  test("takes a line for each question, and says nothing but the result", async () => {
    const { code, out, err } = await built.run(
      ["init", "--json"],
      inputOf(["./scans", "", "", "memory", "192.0.2.0/24, 2001:db8::/32", ""]),
    );
    expect([code, err]).toEqual([0, ""]);
    const answers = {
      images: "./scans",
      address: "http://localhost:8080",
      front: "none",
      caches: "memory",
      readers: "192.0.2.0/24, 2001:db8::/32",
      internet: "no",
    };
    expect(written().crawlers).toBeUndefined();
    expect(JSON.parse(out)).toMatchObject({ file: file(), answers });
    expect(written().auth.profiles.readers).toMatchObject({
      pattern: "kiosk",
      kiosk: { allowed_ips: ["192.0.2.0/24", "2001:db8::/32"] },
    });
    expect(await built.command(["check", "-config", file()])).toMatchObject({ code: 0, err: "" });
  });

  test("proposes a folder that exists, even if it has no images", async () => {
    const refused = async () => (await init([], [""])).err;
    rmSync(file("scans"), { recursive: true });
    expect(await refused()).toContain(`${folder} has no images`);
    mkdirSync(file("images"));
    expect(await refused()).toContain(`${file("images")} has no images`);
  });

  test.each([
    [["./scans/a.png"], "question 1", "not a folder"],
    [["./empty"], "question 1", "has no images"],
    [["./scans", "ftp://x"], "question 2", "http"],
    [["./scans", "", "proxy.example"], "question 3", "addresses"],
    [["./scans", "", "", "./cache 1PB"], "question 4", "64MiB"],
    [["./scans", "", "", "./cache 1000TiB"], "question 4", "free"],
    [["./scans", "", "", "", "somebody"], "question 5", "addresses"],
    [["./scans", "", "", "", "password", "ada", "short"], "question 5", "8 characters"],
    [["./scans", "", "", "", "", "perhaps"], "question 6", "yes or no"],
    [["./scans", ""], "question 3", "ended"],
  ])("refuses %j", async (lines, question, what) => {
    mkdirSync(file("empty"));
    const { code, out, err } = await init([], lines);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(question);
    expect(err).toContain(what);
    expect(existsSync(file())).toBe(false);
  });
});

describe("smalti init --yes", () => {
  test("takes the usual answers, and the service shows the images", async () => {
    const { code, out, err } = await built.run(["init", "--yes", "scans"], inputOf());
    expect([code, err]).toEqual([0, ""]);
    // The command works in the folder in which init was typed.
    expect(out.trimEnd().split("\n").at(-1)).toBe(
      `    node ${join(built.dist, "main.js")} -config smalti.yaml`,
    );
    const service = await built.serve(["-config", file()]);
    const response = await fetch(`${service.url}/iiif/3/box%2Fc.png/info.json`);
    expect(response.status).toBe(200);
    service.process.kill("SIGTERM");
    await service.ended;
  });

  test("has crawlers observed with --internet alone", async () => {
    expect(await init(["--yes", "scans"])).toMatchObject({ code: 0 });
    expect(written().crawlers).toBeUndefined();
    expect(await init(["--yes", "--force", "--internet", "scans"])).toMatchObject({ code: 0 });
    expect(written().crawlers).toEqual({ mode: "observe" });
    expect(await built.command(["check", "-config", file()])).toMatchObject({ code: 0, err: "" });
  });

  test("refuses a folder without images, and a file that is there, but for --force", async () => {
    mkdirSync(file("empty"));
    expect(await init(["--yes", "empty"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no images"),
    });
    writeFileSync(file(), "addr: :1\n");
    expect(await init(["--yes", "scans"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("--force"),
    });
    expect(readFileSync(file(), "utf8")).toBe("addr: :1\n");
    expect(await init(["--yes", "--force", "scans"])).toMatchObject({ code: 0 });
    expect(written().addr).toBe("127.0.0.1:8080");
    symlinkSync(file(), file("link.yaml"));
    const link = await init(["--yes", "--force", "scans", "-o", "link.yaml"]);
    expect([link.code, link.err]).toEqual([1, expect.stringContaining("link.yaml is a symbolic link")]);
    const device = await init(["--yes", "--force", "scans", "-o", "/dev/null"]);
    expect([device.code, device.err]).toEqual([1, expect.stringContaining("/dev/null is a device")]);
  });
});
