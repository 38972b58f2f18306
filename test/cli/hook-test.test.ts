// `smalti hook test`, as an operator runs it before a configuration goes into service.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhook, type WebhookService } from "../server/hooks/webhook-service.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let webhook: WebhookService;
beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-hook-test-"));
  webhook = await startWebhook(({ function: name, input }) =>
    name === "resolve" ? { key: `${input.identifier}.tif` } : { allow: input.headers["x-group"] === "staff" },
  );
  writeFileSync(join(folder, "map.csv"), "identifier,key,status\nms-1,0001.tif,\nms-2,0002.tif,403\n");
});
afterAll(async () => {
  built.remove();
  await webhook.close();
  rmSync(folder, { recursive: true });
});

const sources = "sources: [{ name: scans, type: filesystem, root: . }]\n";
let written = 0;
const lineOf = (hook: string, args: readonly string[]) => {
  const file = join(folder, `config-${written++}.yaml`);
  writeFileSync(file, `${sources}hook: ${hook}\n`);
  return ["hook", "test", "-config", file, ...args];
};
const run = (hook: string, ...args: string[]) => built.command(lineOf(hook, args));
const viaWebhook = (more = "") =>
  `{ engine: webhook, webhook: { url: "${webhook.url}", functions: [resolve, authorize] } ${more} }`;
const mapping = "{ engine: lookup, lookup: { file: map.csv } }";

describe("hook test", () => {
  test("prints the hook's result and its duration", async () => {
    const { code, out, err } = await built.run(lineOf(mapping, ["--identifier", "ms-1;3"]));
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({
      function: "resolve",
      answer: { key: "0001.tif" },
      ms: expect.any(Number),
    });
  });

  test.each([
    ["authorize", "ms-2", { allow: false, status: 403 }],
    ["authorize", "ms-1", null],
    ["resolve", "ms-3", false],
  ])("asks %s about %s", async (name, identifier, answer) => {
    const { code, out } = await run(mapping, `--function=${name}`, `--identifier=${identifier}`);
    expect([code, (JSON.parse(out) as { answer: unknown }).answer]).toEqual([0, answer]);
  });

  test("prints with --json also its messages, and if it failed", async () => {
    const fine = await run(mapping, "--identifier", "ms-1", "--header", "A: b", "--json");
    expect([fine.code, JSON.parse(fine.out)]).toEqual([
      0,
      {
        function: "resolve",
        answer: { key: "0001.tif" },
        ms: expect.any(Number),
        failed: false,
        messages: [expect.stringContaining("does not see the header a")],
      },
    ]);
    writeFileSync(join(folder, "thrown.js"), "export const resolve = () => { throw new Error('\\x1b[1m') };");
    const failed = await run("{ engine: js, js: { file: thrown.js } }", "--identifier", "a", "--json");
    expect([failed.code, JSON.parse(failed.out)]).toMatchObject([1, { failed: true }]);
    expect(failed.err).toContain("the function resolve failed");
    expect(failed.err).not.toContain("\x1b");
  });

  test("sends headers and address like a request, and lists those that the hook does not see", async () => {
    webhook.asked.length = 0;
    const question = [
      "--function",
      "authorize",
      "--identifier",
      "a/b",
      "--header",
      "X-Group: staff",
      "--header=Cookie: a=b",
      "--client-ip",
      "192.0.2.1",
    ];
    const seeing = await run(viaWebhook(", headers: [x-group, Cookie], client_ip: true"), ...question);
    expect(seeing).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(seeing.out)).toMatchObject({ answer: { allow: true } });
    expect(webhook.asked[0]?.input).toEqual({
      identifier: "a/b",
      page: 1,
      request_path: "/iiif/3/a%2Fb/info.json",
      client_ip: "192.0.2.1",
      headers: { "x-group": "staff", cookie: "a=b" },
    });
    const blind = await run(viaWebhook(), ...question);
    expect(JSON.parse(blind.out)).toMatchObject({ answer: { allow: false } });
    expect(blind.err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/warning: .*header x-group; name it in hook\.headers/),
      expect.stringMatching(/warning: .*header cookie/),
      expect.stringMatching(/warning: .*hook\.client_ip/),
    ]);
  });

  test("exits 1 if the hook fails, with the position in its file", async () => {
    writeFileSync(
      join(folder, "hooks.js"),
      "export function resolve({ identifier }) {\n  console.log('asked');\n  return table[identifier];\n}\n",
    );
    const line = lineOf("{ engine: js, js: { file: hooks.js } }", ["--identifier", "a"]);
    const { code, out, err } = await built.run(line);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/the function resolve failed at hooks\.js:3:\d+: .*table/);
    expect(err).toContain("asked");
  });

  test("predicts overlay settings for the address of an image", async () => {
    writeFileSync(
      join(folder, "marks.js"),
      `export const overlay = ({ identifier, request_path }) => {
  console.log(request_path);
  return { dim: { opacity: 7 }, away: { image: "../mark.png" }, odd: { anchor: "middle" }, good: { image: "mark.png" } }[identifier];
};`,
    );
    const ask = (identifier: string) =>
      run("{ engine: js, js: { file: marks.js } }", `--identifier=${identifier}`);
    for (const [identifier, reason] of [
      ["dim", /the function overlay failed: opacity: .*<=1/],
      ["away", /the function overlay failed: image: expected a file below overlay\.folder/],
      ["odd", /the function overlay failed: expected overlay settings/],
    ] as const) {
      const { code, out, err } = await ask(identifier);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(reason);
    }
    const good = await ask("good");
    expect([good.code, JSON.parse(good.out)]).toMatchObject([0, { answer: { image: "mark.png" } }]);
    expect(good.err).toContain("/iiif/3/good/full/max/0/default.jpg");
    expect(JSON.parse((await ask("none")).out)).toMatchObject({ answer: null });
  });

  test.each([
    [
      mapping,
      ["--identifier", "a", "--function", "presentation"],
      /no function presentation; it has resolve, authorize/,
    ],
    [mapping, [], /hook test needs --identifier ID/],
    [mapping, ["--identifier"], /--identifier needs a value/],
    [mapping, ["--identifier", "../a"], /identifier without empty, \. or \.\. parts/],
    [mapping, ["--identifier", "a", "--header", "X-Group"], /expected a header as "Name: value"/],
    ["{ engine: noop }", ["--identifier", "a"], /hook\.engine is noop/],
    [
      '{ engine: lookup, lookup: { template: "{{ .Identifier | shout }}" } }',
      ["--identifier", "a"],
      /hook\.lookup\.template: unknown filter shout/,
    ],
    [
      "{ engine: lookup, lookup: { file: nowhere.csv } }",
      ["--identifier", "a"],
      /hook\.lookup\.file: .*nowhere\.csv: the file does not exist/,
    ],
    ["{ engine: lookup }", ["--identifier", "a"], /hook\.lookup: expected either template or file/],
    ["{ engine: webhook }", ["--identifier", "a"], /hook\.webhook\.url: expected/],
    [
      "{ engine: webhook, webhook: { url: 'http://127.0.0.1/', secret_env: NOT_SET } }",
      ["--identifier", "a"],
      /hook\.webhook\.secret_env: .*NOT_SET is not set/,
    ],
    [
      "{ engine: noop, headers: [Connection] }",
      ["--identifier", "a"],
      /hook\.headers\.0: expected the name of a header/,
    ],
  ])("explains in one line what is wrong with %s %j", async (hook, args, message) => {
    const { code, out, err } = await run(hook, ...args);
    const unreadable = args.length < 2; // else the question cannot be asked
    expect([code, out]).toEqual([unreadable ? 2 : 1, ""]);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test("is the only form of its command", async () => {
    expect(await built.run(["hook"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("expected hook test"),
    });
    expect(await built.command(["hook", "run"])).toMatchObject({ code: 2 });
    expect(await built.command(["serve", "--identifier", "a"])).toMatchObject({ code: 2 });
    expect((await built.command(["help"])).out).toContain("hook test");
  });
});

test("a server does not start with a hook that cannot be built", async () => {
  const file = join(folder, "serve.yaml");
  writeFileSync(
    file,
    `addr: "127.0.0.1:0"\n${sources}hook: { engine: lookup, lookup: { file: nowhere.yaml } }\n`,
  );
  const { code, err } = await built.run(["serve", "-config", file]);
  expect(code).toBe(1);
  expect(err).toMatch(/^smalti: hook\.lookup\.file: .*the file does not exist/);
});
