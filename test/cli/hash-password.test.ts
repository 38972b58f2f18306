// The command hash-password: its password comes from the standard input and is never printed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyHere } from "../../src/server/access/passwords/hash.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-hash-"));
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

describe("smalti hash-password", () => {
  test.each([
    ["without a line break", "Änn's secret", "Änn's secret", []],
    ["with a line break", " two words \n", " two words ", ["--cost", "4"]],
    ["with a Windows line break", "secret\r\n", "secret", ["--cost=5"]],
    ["of two lines", "one\ntwo\n", "one\ntwo", ["-cost", "4"]],
  ])("prints a hash of a password %s", async (_, input, password, args) => {
    const { code, out, err } = await built.run(["hash-password", ...args], { input });
    expect([code, err]).toEqual([0, ""]);
    const cost = { 0: "10", 1: "05", 2: "04" }[args.length === 1 ? 1 : args.length] ?? "";
    expect(out).toMatch(new RegExp(`^\\$2b\\$${cost}\\$[./A-Za-z0-9]{53}\\n$`));
    expect(verifyHere(password, out.trim())).toBe(true);
    // crypt(3) of the system, if it supports bcrypt.
    const script = "import crypt,sys; print(crypt.crypt(sys.argv[1], sys.argv[2]))";
    const made = execFileSync("python3", ["-W", "ignore", "-c", script, password, out.trim()], {
      encoding: "utf8",
    }).trim();
    expect([out.trim(), "None", ""]).toContain(made);
  });

  test("makes hashes that a configuration and a password file are checked with", async () => {
    const { out } = await built.command(["hash-password", "--cost", "4"], { input: "secret" });
    const file = join(folder, "smalti.yaml");
    const profile = (service: string) =>
      `auth: { profiles: { staff: { pattern: active, access_service: { backend: builtin, ${service} } } }, rules: [{ match: "*", profile: staff }] }\n`;
    writeFileSync(file, profile(`users: { ann: ${JSON.stringify(out.trim())} }`));
    expect(await built.command(["check", "-config", file])).toMatchObject({ code: 0 });
    writeFileSync(file, profile("users: { ann: top-secret }"));
    const refused = await built.command(["check", "-config", file]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("received a plaintext password");
    expect(refused.err).not.toContain("top-secret");
  });

  test("prints the hash and its cost as JSON", async () => {
    const { code, out } = await built.command(["hash-password", "--cost", "4", "--json"], {
      input: "secret",
    });
    expect([code, JSON.parse(out)]).toEqual([0, { hash: expect.stringMatching(/^\$2b\$04\$/), cost: 4 }]);
  });

  test.each([
    ["an empty password", [], "", "empty"],
    ["a line break alone", [], "\n", "empty"],
    ["more than bcrypt looks at", ["--cost", "4"], "x".repeat(73), "72 bytes"],
    ["more than anybody types", [], "x".repeat(70_000), "65536"],
    ["a password as an argument", ["top-secret"], "", "standard input"],
    ["a second argument", ["--cost", "4", "top-secret"], "x", "standard input"],
    ["a cost of 3", ["--cost", "3"], "x", "from 4 to 15"],
    ["a cost of 16", ["--cost=16"], "x", "from 4 to 15"],
    ["a cost that is no number", ["--cost", "top-secret"], "x", "from 4 to 15"],
    ["no cost", ["--cost"], "x", "from 4 to 15"],
    ["another flag", ["--rounds", "4"], "x", "takes only --cost N and --json"],
  ])("refuses %s in one line that does not repeat it", async (_, args, input, message) => {
    const { code, out, err } = await built.command(["hash-password", ...args], { input });
    const isPassword = /empty|bytes|65536/.test(message); // else the arguments are wrong
    expect([code, out]).toEqual([isPassword ? 1 : 2, ""]);
    expect(err).toContain(message);
    expect(err.trimEnd().split("\n").length).toBe(1);
    expect(err).not.toContain("top-secret");
  });

  test("hides the password typed at a terminal, and asks for it twice", async () => {
    const script = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b""
def read(until):
    global seen
    while until not in seen:
        try: part = os.read(terminal, 1000)
        except OSError: break
        if not part: break
        seen += part
read(b"Password: "); os.write(terminal, b"tops\\x7f-secret\\r")
read(b"more: "); os.write(terminal, sys.stdin.buffer.read())
read(b"\\0")
print(seen.decode())
`;
    const typed = (second: string) =>
      execFileSync(
        "python3",
        ["-c", script, process.execPath, join(built.dist, "main.js"), "hash-password", "--cost", "4"],
        { input: second, encoding: "utf8" },
      );
    const seen = typed("top-secret\r");
    const [hash = ""] = /\$2b\$04\$[./A-Za-z0-9]{53}/.exec(seen) ?? [];
    expect(verifyHere("top-secret", hash)).toBe(true);
    expect(seen).not.toContain("secret");
    expect(typed("top-secrets\r")).toContain("the two passwords differ");
    expect(typed("\x03")).toContain("broken off");
  });

  test("is listed in the help", async () => {
    expect((await built.command(["--help"])).out).toContain("smalti hash-password ");
  });
});
