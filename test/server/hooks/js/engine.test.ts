// The js engine on real worker threads and in place: what hooks can do, and what they cannot.
// @module-tag slow

import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../../../scripts/build.mjs";
import type { Platform } from "../../../../src/base/platform.ts";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { type HookEngine, type HookError, hookFunctions } from "../../../../src/server/hooks/hook.ts";
import { createJsEngine } from "../../../../src/server/hooks/js/engine.ts";
import { jsOptions } from "../../../../src/server/hooks/js/options.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { hookEngineContract, inputOf } from "../../../contracts/hook-engine.ts";
import { everything, sampled } from "../../../sampled.ts";
import { failures, answers as given, globalNames, hostileSource } from "./hostile.ts";

const directory = mkdtempSync(join(tmpdir(), "smalti-js-"));
const threaded = nodePlatform(pathToFileURL(`${directory}/`));
const { startWorker: _, ...inPlace } = threaded;
const platforms: readonly (readonly [string, Platform])[] = [
  ["in a worker", threaded],
  ["in place", inPlace],
];

beforeAll(async () => {
  await build({ outdir: directory, only: "hook-thread", quiet: true });
});
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

const open: HookEngine[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});

const put = (name: string, text: string) => {
  const path = join(directory, name);
  // Replaces the whole file atomically, like an editor.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
};

interface Given {
  readonly platform?: Platform;
  readonly source?: string;
  readonly name?: string;
  readonly timeout?: string;
  readonly log?: typeof silentLog;
}

/** The shortest limit in use, for calls that are to end by it. */
const quickly = (platform: Platform) => (platform.startWorker ? "500ms" : "100ms");

/** An engine whose calls may take as long as a busy machine needs. */
async function engineOf({
  platform = threaded as Platform,
  source = hostileSource,
  name = "hooks.js",
  timeout = "10s",
  log = silentLog,
}: Given = {}) {
  const options = jsOptions.parse({ file: put(name, source), timeout });
  const engine = await createJsEngine(options, platform, log);
  open.push(engine);
  return engine;
}

const inputFor = (name: string, act: string) =>
  name === "presentation" ? { id: act, kind: "manifest", descriptor: {} } : inputOf(act);

const failureOf = (call: Promise<unknown>) =>
  call.then(
    (answer) => expect.unreachable(`it answered ${JSON.stringify(answer)}`),
    (error: HookError) => error,
  );

/** Waits until a call succeeds that a busy machine may end by a short limit. */
const answers = (call: () => Promise<unknown>, answer: unknown, message = "") =>
  expect.poll(() => call().catch(String), { message }).toEqual(answer);

const masters = `
const known = new Map([["a", "a"], ["b/c", "b/c"], ["ms 1", "ms 1"]]);
export function resolve({ identifier }) {
  if (known.has(identifier)) return { key: \`masters/\${known.get(identifier)}.tif\` };
}
`;

for (const [where, platform] of platforms)
  describe(where, () => {
    hookEngineContract("js", {
      build: () =>
        createJsEngine(jsOptions.parse({ file: put("contract.js", masters) }), platform, silentLog),
    });

    test.each(hookFunctions)("%s fails with the error and its position, and works again", async (name) => {
      const quick = await engineOf({ platform, timeout: quickly(platform) });
      // Calls that end for another reason than the time limit.
      const patient = await engineOf({ platform });
      for (const [act, message, line] of sampled(`failures of ${name} ${where}`, failures, 6)) {
        const engine = message.test("it ran longer than its time limit of 500 ms") ? quick : patient;
        const error = await failureOf(engine.call(name, inputFor(name, act)));
        expect(error.name, act).toBe("HookError");
        expect(error.message, act).toMatch(message);
        // A busy machine may end the worker before the code in it stops.
        if (line !== undefined && !error.message.includes("had to be ended"))
          expect(error.position, act).toMatch(new RegExp(`^hooks\\.js:${line}:\\d+$`));
        const again = () => engine.call(name, inputFor(name, "count"));
        if (engine === patient) expect(await again(), `after ${act}`).toEqual({ calls: 1 });
        else await answers(again, { calls: 1 }, `after ${act}`);
      }
    });

    test.each(hookFunctions)("%s returns plain data, whatever it is made of", async (name) => {
      const engine = await engineOf({ platform });
      for (const [act, answer] of given) {
        const found = await engine.call(name, inputFor(name, act));
        expect(found, act).toEqual(answer);
        expect(Object.keys(found ?? {}), act).not.toContain("__proto__");
      }
    });

    test("calls see nothing of earlier calls", async () => {
      const engine = await engineOf({ platform });
      const fresh = { before: [null, null, "map", "undefined", 0] };
      for (let i = 0; i < 3; i++) expect(await engine.call("resolve", inputOf("state"))).toEqual(fresh);
    });

    test("random numbers differ from call to call", async () => {
      const engine = await engineOf({ platform });
      const drawn: number[] = [];
      for (let i = 0; i < 20; i++)
        drawn.push(...((await engine.call("resolve", inputOf("random"))) as { numbers: number[] }).numbers);
      expect(new Set(drawn).size).toBe(160);
      expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
      // 160 numbers that are evenly spread are never all on one side of a half.
      expect(drawn.some((number) => number < 0.5) && drawn.some((number) => number >= 0.5)).toBe(true);
    });

    test("there is nothing but ECMAScript and a console", async () => {
      const engine = await engineOf({ platform });
      const { names } = (await engine.call("resolve", inputOf("globals"))) as { names: string[] };
      expect(names).toContain("console");
      expect(names.filter((name) => !globalNames.includes(name))).toEqual([]);
    });

    test("its output goes to the log, limited in lines and length", async () => {
      const lines: [level: string, text: string][] = [];
      const at = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) =>
        void lines.push([level, String(fields?.text)]);
      const log = {
        ...silentLog,
        debug: at("debug"),
        info: at("info"),
        warn: at("warn"),
        error: at("error"),
      };
      const engine = await engineOf({ platform, log });
      await engine.call("resolve", inputOf("print"));
      expect(lines).toHaveLength(21);
      expect(lines[0]?.[1]).toMatch(/^line 0 x+$/);
      expect(lines.every(([level, text]) => level === "info" && text.length <= 1000)).toBe(true);
      expect(lines.at(-1)?.[1]).toContain("left out");
      lines.length = 0;
      await engine.call("resolve", inputOf("print levels"));
      expect(lines).toEqual([
        ["error", 'one\ntwo {"a":[1]}'],
        ["warn", "undefined null Symbol(s) 2"],
        ["debug", expect.stringContaining("=>")],
      ]);
    });

    test("a request that has ended is not asked for", async () => {
      const engine = await engineOf({ platform });
      const gone = new Error("gone");
      await expect(engine.call("resolve", inputOf("count"), AbortSignal.abort(gone))).rejects.toBe(gone);
    });

    test.each([
      ["does not compile", "export function resolve( {", /hook\.js\.file: .*hooks\.js:1:\d+: SyntaxError/],
      ["throws", "\nnowhere();\nexport function resolve() {}", /hooks\.js:2:\d+: ReferenceError/],
      ["exports nothing", "module.exports = {}", /hooks\.js:1:\d+: ReferenceError/],
      ["exports no hook", "export function resolv() {}", /exports none of the functions resolve, authorize/],
      ["is empty", "", /exports none of the functions/],
      [
        "exports text",
        'export const resolve = "x"; export function overlay() {}',
        /the export resolve is of type string/,
      ],
      ["imports", 'import x from "./other.js"; export function resolve() {}', /hook\.js\.file/],
      ["never ends", "for (;;); export function resolve() {}", /longer than its time limit/],
      ["waits for ever", "await new Promise(() => {}); export function resolve() {}", /never settled/],
    ])("a file that %s is refused at start", async (_, source, message) => {
      await expect(engineOf({ platform, source })).rejects.toThrow(message);
    });

    test.each([
      ["authorise", "export function authorise() {}", /export authorise .* did you mean authorize\?/],
      ["Resolve", "export const Resolve = () => {};", /export Resolve .* did you mean resolve\?/],
      ["authentication", "export function authenticate() {}", /did you mean authorize\?/],
      ["a watermark", "export async function watermark() {}", /did you mean overlay\?/],
      ["a default function", "export default function () {}", /default export is never called; .*resolve/],
      [
        "a default object",
        "export default { resolve() {}, authorize() {} }",
        /resolve and authorize inside the export default are never called; export each .* function resolve/,
      ],
      ["hooks in an object", "export const hooks = { overlay() {} };", /overlay inside the export hooks is/],
      [
        "a getter that throws",
        "export default { get resolve() { throw new Error('no') } }",
        /default export is never called/,
      ],
    ])("a file that exports only %s is refused with the name that is meant", async (_, source, message) => {
      await expect(engineOf({ platform, source })).rejects.toThrow(message);
    });

    test("an export of an unknown name next to a hook is logged, and told to a check", async () => {
      const lines: string[] = [];
      const log = { ...silentLog, warn: (message: string) => void lines.push(message) };
      const own = "export const resolve = () => ({ key: 'k' });";
      const source = `${own} export function authorise() {} export function pad() {} export const width = 6;`;
      const engine = await engineOf({ platform, source, log });
      const texts = [
        "the export authorise is never called; did you mean authorize?",
        expect.stringMatching(
          /^the export pad is never called: .* resolve, authorize, presentation, overlay/,
        ),
      ];
      expect(engine.doubts?.().map(({ text }) => text)).toEqual(texts);
      expect(lines).toEqual([
        "hook.js.file: the export authorise is never called; did you mean authorize?",
        expect.stringContaining("hook.js.file: the export pad"),
      ]);
      expect(await engine.call("resolve", inputOf("a"))).toEqual({ key: "k" });
    });

    test("a file of hooks alone has no doubts", async () => {
      const engine = await engineOf({ platform });
      expect(engine.doubts?.()).toEqual([]);
    });

    test("the file may wait for promises that settle on their own", async () => {
      const source = "const key = await Promise.resolve('k'); export const resolve = () => ({ key });";
      const engine = await engineOf({ platform, source });
      expect(await engine.call("resolve", inputOf("a"))).toEqual({ key: "k" });
    });
  });

test("thousands of calls each find the memory of the instance as it was at first", async () => {
  const { createSandbox } = await import("../../../../src/server/hooks/js/sandbox.ts");
  const program = { source: hostileSource, file: "hooks.js", timeoutMs: 5000, memoryBytes: 2 ** 25 };
  const sandbox = await createSandbox(threaded.wasm("quickjs"), program, () => {});
  const size = sandbox.size();
  const acts = ["count", "state", "random", "thrown", "later", "thrown later", "a getter"];
  for (let i = 0; i < (everything ? 10_000 : 2000); i++) {
    const act = acts[i % acts.length] as string;
    const { usable, result: answer, failure } = sandbox.call("resolve", JSON.stringify(inputOf(act)));
    const isClean = act !== "count" || answer === '{"calls":1}';
    if (!usable || !isClean || sandbox.size() !== size || (failure && !act.startsWith("thrown")))
      expect.unreachable(`call ${i}: ${JSON.stringify({ act, usable, answer, failure })}`);
  }
});

test("a module that neither an engine nor a runtime has is named", async () => {
  await expect(createJsEngine(jsOptions.parse({}), threaded, silentLog)).rejects.toThrow("hook.js.file");
  const { files: _, ...bare } = threaded;
  const options = jsOptions.parse({ file: "/nowhere/hooks.js" });
  await expect(createJsEngine(options, bare, silentLog)).rejects.toThrow("hook.js.file");
  await expect(createJsEngine(options, threaded, silentLog)).rejects.toThrow("hook.js.file");
});

test.each([{ timeout: "0s" }, { timeout: "11s" }, { memory: "1MiB" }, { memory: "2GiB" }, { timeout: 5 }])(
  "the options refuse %j",
  (given) => {
    expect(jsOptions.safeParse({ file: "hooks.js", ...given }).success).toBe(false);
  },
);

describe("a built-in that takes seconds", () => {
  test("is ended with its worker, while other calls continue", async () => {
    // Both workers are there, so that the other call waits for none.
    let ready = 0;
    const startWorker: typeof threaded.startWorker = (...given) => {
      const port = threaded.startWorker!(...given);
      const onMessage: typeof port.onMessage = (listener) =>
        port.onMessage((message) => {
          if ((message as { kind: string }).kind === "ready") ready++;
          listener(message);
        });
      return { ...port, onMessage };
    };
    const engine = await engineOf({ platform: { ...threaded, startWorker }, timeout: "3s" });
    await expect.poll(() => ready).toBe(2);
    let isOver = false;
    const long = failureOf(engine.call("resolve", inputOf("a long built-in"))).finally(() => {
      isOver = true;
    });
    expect(await engine.call("authorize", inputOf("count"))).toEqual({ calls: 1 });
    expect(isOver).toBe(false);
    expect((await long).message).toMatch(/longer than its time limit of 3000 ms and had to be terminated/);
    await answers(() => engine.call("resolve", inputOf("count")), { calls: 1 });
  });

  test("does not use up the workers, however often it comes", async () => {
    const engine = await engineOf({ timeout: "50ms" });
    for (let i = 0; i < 4; i++)
      expect((await failureOf(engine.call("resolve", inputOf("a long built-in")))).name).toBe("HookError");
    const all = Array.from({ length: 4 }, () =>
      failureOf(engine.call("overlay", inputOf("a long built-in"))),
    );
    for (const error of await Promise.all(all)) expect(error.name).toBe("HookError");
    await answers(() => engine.call("resolve", inputOf("count")), { calls: 1 });
  });
});

describe("calls that wait", () => {
  test("run in their order, and a client that leaves gives up its turn", async () => {
    // Of two workers either may be the faster one.
    let started = 0;
    const startWorker: typeof threaded.startWorker = (...given) => {
      if (++started > 1) throw new Error("one is enough");
      return threaded.startWorker!(...given);
    };
    const engine = await engineOf({ platform: { ...threaded, startWorker } });
    const order: number[] = [];
    const gone = new AbortController();
    const calls = Array.from({ length: 40 }, (_, i) =>
      engine.call("resolve", inputOf(i < 2 ? "thrown" : "count"), i === 20 ? gone.signal : undefined).then(
        () => order.push(i),
        () => order.push(-i),
      ),
    );
    gone.abort();
    await Promise.all(calls);
    expect(order[0]).toBe(-20);
    const answered = order.filter((i) => i > 1);
    expect(answered).toHaveLength(37);
    expect(answered).toEqual([...answered].sort((a, b) => a - b));
  });

  test("are refused if too many wait", async () => {
    const engine = await engineOf();
    const calls = Array.from({ length: 300 }, () =>
      engine.call("resolve", inputOf("count")).then(
        () => "answered",
        (error: HookError) => error.message.replace(/;.*/, ""),
      ),
    );
    const counts = new Map<string, number>();
    for (const outcome of await Promise.all(calls)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    // 256 wait; one runs, or two if the second worker is ready.
    const refused = counts.get("256 calls are already waiting") ?? 0;
    expect([42, 43]).toContain(refused);
    expect(counts.get("answered")).toBe(300 - refused);
  });

  test("fail when their turn does not come", async () => {
    const engine = await engineOf({ timeout: "1s" });
    const calls = Array.from({ length: 12 }, () => failureOf(engine.call("resolve", inputOf("loop"))));
    const reasons = new Set((await Promise.all(calls)).map(({ message }) => message.replace(/;.*/, "")));
    expect(reasons).toContain("it waited 3000 ms in the queue");
    await answers(() => engine.call("resolve", inputOf("count")), { calls: 1 });
  });

  test("fail when the engine is closed", async () => {
    const engine = await engineOf();
    const calls = ["loop", "loop", "count"].map((act) => failureOf(engine.call("resolve", inputOf(act))));
    await engine.close();
    for (const error of await Promise.all(calls)) expect(error.message).toMatch(/the service stops/);
    expect((await failureOf(engine.call("resolve", inputOf("count")))).message).toMatch(/the service stops/);
  });
});

describe("a file that changes", () => {
  const version = (n: number) => `export const resolve = () => ({ key: "v${n}" });`;
  /** Calls until the result is the expected one. */
  const comes = (engine: HookEngine, answer: unknown) =>
    expect.poll(() => engine.call("resolve", inputOf("a")), { interval: 100 }).toEqual(answer);

  test.each(platforms)("is read again %s", async (_, platform) => {
    const engine = await engineOf({ platform, name: "changes.js", source: version(1) });
    expect(await engine.call("resolve", inputOf("a"))).toEqual({ key: "v1" });
    put("changes.js", version(2));
    await comes(engine, { key: "v2" });
    await engine.check();
  });

  test("stays in effect while the new one is broken, and the check names the position", async () => {
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (_: string, fields?: object) => void errors.push(fields) };
    const engine = await engineOf({ name: "breaks.js", source: version(1), log });
    put("breaks.js", "export const resolve = () => (\n");
    await expect.poll(() => engine.check().catch(String)).toMatch(/breaks\.js:\d+:\d+: SyntaxError/);
    expect(await engine.call("resolve", inputOf("a"))).toEqual({ key: "v1" });
    expect(errors).toHaveLength(1);
    put("breaks.js", version(2));
    await comes(engine, { key: "v2" });
    await engine.check();
  });

  test("lets calls that run end by the functions of before", async () => {
    const slow = `export const resolve = ({ identifier }) => {
      for (const end = Date.now() + 1000; identifier === "slow" && Date.now() < end; );
      return { key: "v1" };
    };`;
    const engine = await engineOf({ name: "slow.js", source: slow, timeout: "10s" });
    const running = engine.call("resolve", inputOf("slow"));
    put("slow.js", version(2));
    await comes(engine, { key: "v2" });
    expect(await running).toEqual({ key: "v1" });
  });

  test("has its current functions", async () => {
    const engine = await engineOf({ name: "grows.js", source: version(1) });
    expect(engine.has("authorize")).toBe(false);
    put("grows.js", `${version(1)} export const authorize = () => ({ allow: false });`);
    await expect.poll(() => engine.has("authorize"), { interval: 100 }).toBe(true);
    expect(await engine.call("authorize", inputOf("a"))).toEqual({ allow: false });
  });

  test("is not loaded while it is being written", async () => {
    const path = put("grown.js", version(1));
    const engine = await engineOf({ name: "grown.js", source: version(1) });
    // This half-written file compiles.
    writeFileSync(path, 'export const resolve = () => ({ key: "half" });\n');
    const writing = setInterval(() => appendFileSync(path, "// and more\n"), 10);
    const seen = new Set<string>();
    for (let i = 0; i < 20; i++) {
      seen.add(((await engine.call("resolve", inputOf("a"))) as { key: string }).key);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    clearInterval(writing);
    expect([...seen]).toEqual(["v1"]);
    put("grown.js", version(2));
    await comes(engine, { key: "v2" });
  });
});
