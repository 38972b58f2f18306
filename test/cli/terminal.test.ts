// The server at a terminal, as somebody sees it who tries it: a pseudo-terminal of Python.

import { execFile, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
const folder = mkdtempSync(join(tmpdir(), "smalti-terminal-"));
beforeAll(async () => {
  built = await buildProgram();
  mkdirSync(join(folder, "images"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images/base.png"));
  writeFileSync(
    join(folder, "images/broken.png"),
    readFileSync(join(fixturesFolder, "base.png")).subarray(0, 60),
  );
});
afterAll(() => {
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server at a terminal, requests paths when it serves, and presses Ctrl+C. */
const script = `
import json, os, pty, re, signal, sys, urllib.request
paths, errors, command = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]
signal.alarm(600)
pid, terminal = pty.fork()
if pid == 0:
    if errors:
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT, 0o600), 2)
    os.execvp(command[0], command)
out, asked = b"", False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    out += part
    found = re.search(rb"start page +(http://[^ /]+)/[\\r\\n](?:.*[\\r\\n])*?.*an image +.*[\\r\\n]", out)
    if found and not asked:
        asked = True
        for path in paths:
            try:
                urllib.request.urlopen(found.group(1).decode() + path).read()
            except urllib.error.HTTPError:
                pass
        if os.environ.get("CLOSES"):
            os.close(terminal)
            break
        os.write(terminal, b"\\x03")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"code": code, "out": out.decode()}))
`;

async function atTerminal(
  paths: readonly string[],
  {
    args = [],
    errors = "",
    env = {},
  }: { args?: readonly string[]; errors?: string; env?: Record<string, string> } = {},
) {
  const line = [process.execPath, join(built.dist, "main.js"), ...args];
  const { stdout } = await promisify(execFile)(
    "python3",
    ["-c", script, JSON.stringify(paths), errors, ...line],
    {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, SERVICE_ADDR: "127.0.0.1:0", ...env },
    },
  );
  const { code, out } = JSON.parse(stdout) as { code: number; out: string };
  return { code, out: out.replaceAll("\r\n", "\n") };
}

const base = "/iiif/3/base.png";
const paths = [`${base}/info.json`, `${base}/full/20,/0/default.jpg`, "/iiif/3/none.png/info.json"];
const lineOfRequest = /info {2}request .*path=/;

test("requests are summed up in one line, which the end of the program does not lose", async () => {
  const { code, out } = await atTerminal(paths, { args: ["images"] });
  expect(code).toBe(0);
  expect(out).not.toMatch(lineOfRequest);
  expect(out).toMatch(
    /^(?:\^C)?\d\d:\d\d — 3 requests, 0 errors, 1 with status 4xx, [\d.]+ KiB sent, slowest .* m?s$/m,
  );
  expect(out).toContain("Requests are summed up once a minute here");
});

test("a terminal that is closed ends the service, so that its port is free again", async () => {
  const { code, out } = await atTerminal(paths, { args: ["images"], env: { CLOSES: "1" } });
  // Node aborts (SIGABRT) if it cannot reset a terminal that has gone.
  expect([0, -6]).toContain(code);
  const [, url = ""] = /start page +(http:\/\/[^/]+)\//.exec(out) ?? [];
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

test("errors stay visible", async () => {
  const { out } = await atTerminal([...paths, "/iiif/3/broken.png/full/max/0/default.jpg"], {
    args: ["images"],
  });
  expect(out).toMatch(/error request failed .*path=\/iiif\/3\/broken\.png/);
  expect(out).toMatch(/info {2}request .*path=\/iiif\/3\/broken\.png.*status=5\d\d/);
  expect(out.match(new RegExp(lineOfRequest, "g"))).toHaveLength(1);
  expect(out).toMatch(/4 requests, 1 error, 1 with status 4xx/);
});

test.each([
  [true, 3],
  [false, 0],
])(
  "with log.requests %s, which the configuration says, nothing is summed up, and %i lines are written",
  async (requests, count) => {
    const file = join(folder, `requests-${requests}.yaml`);
    writeFileSync(
      file,
      `log: { requests: ${requests} }\nsources: [{ name: a, type: filesystem, root: images }]`,
    );
    const { out } = await atTerminal(paths, { args: ["-config", file] });
    expect(out.match(new RegExp(lineOfRequest, "g")) ?? []).toHaveLength(count);
    expect(out).not.toMatch(/ — \d+ requests|summed up/);
  },
);

test("a log in a file has each request, also if the server is started at a terminal", async () => {
  const errors = join(folder, "errors.log");
  const { out } = await atTerminal(paths, { args: ["images"], errors });
  expect(out).not.toMatch(/summed up/);
  expect(readFileSync(errors, "utf8").match(new RegExp(lineOfRequest, "g"))).toHaveLength(3);
});

test("--host keeps the service to this machine, and without it the addresses in the network are shown", async () => {
  const env = { SERVICE_ADDR: ":0" };
  const local = await atTerminal(paths.slice(0, 1), { args: ["images", "--host", "localhost"], env });
  expect(local.code).toBe(0);
  expect(local.out).toMatch(/start page +http:\/\/localhost:\d+\/\n/);
  expect(local.out).not.toContain("everybody in this network");
  expect(local.out).toMatch(/1 request, 0 errors/);
  const v6 = await atTerminal(paths.slice(0, 1), { args: ["images", "--host=::1"], env });
  expect(v6.out).toMatch(/start page +http:\/\/\[::1\]:\d+\/\n/);
});

test.each([
  [
    "localhost:80",
    /^smalti: --host expects a name or an address without a port, .* received localhost:80\n$/,
  ],
  ["a b", /^smalti: --host expects a name/],
  ["192.0.2.77", /^smalti: this machine does not have the address 192\.0\.2\.77; .*--host/],
  ["nobody.invalid", /^smalti: .*nobody\.invalid.*\n$/],
])("--host %s ends with one line that says what is wrong", async (host, message) => {
  const { code, out, err } = await built.run(["--host", host], { env: { SERVICE_ADDR: ":0" } });
  expect([code === 1 || code === 2, out]).toEqual([true, ""]);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/^ +at /m);
});

test("a log that is appended to a file goes on after the file was emptied, as logrotate does it by copytruncate", async () => {
  const log = join(folder, "rotated.log");
  const line = `exec ${process.execPath} ${join(built.dist, "main.js")} images >${join(folder, "out")} 2>>${log}`;
  const server = spawn("sh", ["-c", line], {
    cwd: folder,
    env: { SERVICE_ADDR: "127.0.0.1:0", HOME: folder },
    stdio: "ignore",
  });
  const said = (file: string, what: RegExp) =>
    expect.poll(() => what.exec(existsSync(file) ? readFileSync(file, "utf8") : "")?.[1]).toBeDefined();
  await said(join(folder, "out"), /start page +(http:\/\/[^/]+)\//);
  const [, url = ""] = /start page +(http:\/\/[^/]+)\//.exec(readFileSync(join(folder, "out"), "utf8")) ?? [];
  const ask = (name: string) => fetch(`${url}/iiif/3/${name}/info.json`);
  await ask("before.png");
  await said(log, /(before\.png)/);
  truncateSync(log);
  await ask("after.png");
  await said(log, /(after\.png)/);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
  const text = readFileSync(log, "utf8");
  expect([text.includes("\0"), text.includes("before.png"), /^\d{4}-/.test(text)]).toEqual([
    false,
    false,
    true,
  ]);
});
