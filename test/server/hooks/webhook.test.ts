// The webhook engine against real servers that are slow, broken, away or hostile.

import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type HookEngine, HookError } from "../../../src/server/hooks/hook.ts";
import {
  createWebhookEngine,
  maxAtOnce,
  maxResponseBytes,
  webhookOptions,
} from "../../../src/server/hooks/webhook.ts";
import { hookEngineContract, inputOf } from "../../contracts/hook-engine.ts";
import { startWebhook, type WebhookService } from "./webhook-service.ts";

let service: WebhookService;
// One for each test: questions that a test has left may still arrive.
beforeEach(async () => {
  service = await startWebhook(() => ({ key: "a.tif" }));
});
afterEach(() => service.close());

const env = { HOOK_SECRET: "s3cret\n" };
const engineOf = (options: Record<string, unknown> = {}, circuit = {}): HookEngine =>
  createWebhookEngine(webhookOptions.parse({ url: service.url, ...options }), { env }, circuit);
const resolve = (engine: HookEngine, identifier = "a", signal?: AbortSignal) =>
  engine.call("resolve", inputOf(identifier), signal);

const known = new Set(["a", "b/c", "ms 1"]);
let forContract: WebhookService;
beforeAll(async () => {
  forContract = await startWebhook(({ input }) =>
    known.has(input.identifier) ? { key: `masters/${input.identifier}.tif` } : null,
  );
});
afterAll(() => forContract.close());
hookEngineContract("webhook", {
  build: () =>
    createWebhookEngine(webhookOptions.parse({ url: forContract.url, functions: ["resolve"], ttl: "1m" }), {
      env,
    }),
});

describe("a question", () => {
  test("is a POST of the function and its input as JSON", async () => {
    const input = inputOf("a/ß", { client_ip: "192.0.2.1", headers: { "x-group": "staff" } });
    expect(await engineOf().call("authorize", input)).toEqual({ key: "a.tif" });
    expect(service.asked).toHaveLength(1);
    const [question] = service.asked;
    expect(question).toMatchObject({ method: "POST", path: "/hook", function: "authorize", input });
    expect(question?.headers["content-type"]).toBe("application/json");
    expect(question?.headers["x-signature"]).toBeUndefined();
  });

  test("carries a signature that a holder of the secret can verify", async () => {
    const before = Math.floor(Date.now() / 1000);
    await resolve(engineOf({ secret_env: "HOOK_SECRET" }), "ß");
    const { headers, body } = service.asked[0]!;
    const timestamp = String(headers["x-timestamp"]);
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1000);
    // A line break at the end of a secret comes from the tool that wrote it.
    const expected = createHmac("sha256", "s3cret").update(`${timestamp}.${body}`).digest("hex");
    expect(headers["x-signature"]).toBe(expected);
  });

  test("sends user name and password of the URL as basic authentication", async () => {
    const url = service.url.replace("http://", "http://ann:p%40ss%C3%9F@");
    await resolve(engineOf({ url: `${url}?tenant=1` }));
    expect(service.asked[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("ann:p@ssß").toString("base64")}`,
    );
    expect(service.asked[0]?.path).toBe("/hook?tenant=1");
  });

  test("is sent only for the named functions", async () => {
    const engine = engineOf({ functions: ["authorize"] });
    expect([engine.has("resolve"), engine.has("authorize")]).toEqual([false, true]);
    expect(await resolve(engine)).toBeUndefined();
    expect(service.asked).toEqual([]);
  });
});

describe("a response", () => {
  test.each([
    ["null", 200, undefined],
    ["", 200, undefined],
    ["", 204, undefined],
    ["false", 200, false],
  ])("of %j with status %i", async (body, status, expected) => {
    service.answer = (_, response) => void response.writeHead(status).end(body);
    expect((await resolve(engineOf())) ?? undefined).toBe(expected);
  });

  test.each([
    ["<html>", 200, /other than JSON/],
    ["{", 200, /other than JSON/],
    ["{}", 201, /status 201/],
    ["{}", 404, /status 404/],
    ["{}", 401, /status 401/],
    ["{}", 500, /status 500/],
  ])("of %j with status %i is a failure, without a second attempt", async (body, status, why) => {
    service.answer = (_, response) => void response.writeHead(status).end(body);
    const failure = await resolve(engineOf()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HookError);
    expect((failure as Error).message).toMatch(why);
    expect(service.asked).toHaveLength(1);
  });

  test("that redirects is not followed", async () => {
    service.answer = (_, response) =>
      void response.writeHead(307, { Location: `${service.url}/other` }).end();
    await expect(resolve(engineOf())).rejects.toThrow(/redirect \(status 307\)/);
    expect(service.asked).toHaveLength(1);
  });

  test("is read up to its limit, whether or not its length is known", async () => {
    const answer = (length: number) => JSON.stringify({ key: "a".repeat(length - 10) });
    expect(answer(100)).toHaveLength(100);
    for (const told of [true, false]) {
      service.answer = (_, response) => {
        const body = answer(maxResponseBytes);
        if (told) response.setHeader("Content-Length", body.length);
        else response.flushHeaders();
        response.end(body);
      };
      expect(await resolve(engineOf())).toHaveProperty("key");
      service.answer = (_, response) => {
        const body = answer(maxResponseBytes + 1);
        if (told) response.setHeader("Content-Length", body.length);
        else response.flushHeaders();
        response.end(body);
      };
      await expect(resolve(engineOf())).rejects.toThrow(/more than 65536 bytes/);
    }
  });

  test("that never ends is cut at its limit", async () => {
    let closed = false;
    service.answer = (_, response) => {
      const more = () => {
        while (!closed && response.write("x".repeat(16_384)));
      };
      response.on("drain", more).on("close", () => (closed = true));
      more();
    };
    await expect(resolve(engineOf({ timeout: "20s" }))).rejects.toThrow(/more than 65536 bytes/);
    await expect.poll(() => closed).toBe(true);
  });
});

describe("a service that does not respond in time", () => {
  // Time stands still until the service has received the request.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const lateAfter = async (call: Promise<unknown>, ms: number) => {
    const outcome = expect(call).rejects.toThrow(`did not respond within ${ms}ms`);
    // The deadline is one timer that sets another.
    await vi.advanceTimersByTimeAsync(ms + 1);
    await outcome;
  };

  test("fails the call, and its connection is closed", async () => {
    let closed = false;
    service.answer = (_, response) => void response.on("close", () => (closed = true));
    const call = resolve(engineOf({ timeout: "200ms" }));
    await expect.poll(() => service.asked.length).toBe(1);
    await lateAfter(call, 200);
    await expect.poll(() => closed).toBe(true);
    expect(service.asked).toHaveLength(1);
  });

  test("includes one whose response drips", async () => {
    let drops = 0;
    service.answer = (_, response) => {
      response.flushHeaders();
      const timer = setInterval(() => {
        response.write(" ");
        drops++;
      }, 20);
      response.on("close", () => clearInterval(timer));
    };
    const call = resolve(engineOf({ timeout: "300ms" }));
    await expect.poll(() => drops).toBeGreaterThan(2);
    await lateAfter(call, 300);
  });

  test("leaves no time for a second attempt", async () => {
    let answered = false;
    service.answer = (_, response, nth) =>
      nth === 1 ? void response.writeHead(503).end(() => (answered = true)) : undefined;
    const call = resolve(engineOf({ timeout: "400ms" }));
    await expect.poll(() => answered).toBe(true);
    // Its pause passes, and not yet its time.
    await expect
      .poll(async () => {
        if (vi.getTimerCount() > 1) await vi.advanceTimersByTimeAsync(50);
        return service.asked.length;
      })
      .toBe(2);
    await lateAfter(call, 400);
  });

  test("is abandoned when the client leaves", async () => {
    let closed = false;
    const controller = new AbortController();
    service.answer = (_, response) => {
      response.on("close", () => (closed = true));
      controller.abort(new Error("gone"));
    };
    await expect(resolve(engineOf({ timeout: "1m" }), "a", controller.signal)).rejects.toThrow("gone");
    await expect.poll(() => closed).toBe(true);
  });
});

describe("more calls than the limit", () => {
  const ask = (engine: HookEngine, count: number, signal?: AbortSignal) =>
    Array.from({ length: count }, (_, nth) => resolve(engine, String(nth), signal));
  const reasons = async (calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((call) =>
      call.status === "rejected" ? String(call.reason) : "answered",
    );

  test("wait for their turn and all get responses", async () => {
    let [open, most] = [0, 0];
    // The first ones are held until as many are there as may be, and as another service has responded to a
    // later request, before which one too many would have come.
    let release = () => {};
    const full = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer = (_, response) => {
      most = Math.max(most, ++open);
      if (open === maxAtOnce.asked) void resolve(engineOf({ url: forContract.url })).then(release);
      void full.then(() => {
        open--;
        response.end('{ "key": "a.tif" }');
      });
    };
    const all = await Promise.all(ask(engineOf({ timeout: "1m" }), 3 * maxAtOnce.asked));
    expect(all).toHaveLength(3 * maxAtOnce.asked);
    expect(most).toBe(maxAtOnce.asked);
    expect(service.asked).toHaveLength(3 * maxAtOnce.asked);
  });

  test("fail if too many wait, and if their time is over before their turn", async () => {
    service.answer = () => undefined;
    const engine = engineOf({ timeout: "1s" }, { failures: 1_000_000 });
    const asked = ask(engine, maxAtOnce.asked + maxAtOnce.waiting);
    await expect(resolve(engine, "one more")).rejects.toThrow(
      /1024 requests to the webhook are already waiting/,
    );
    const all = await reasons(asked);
    expect(all.filter((reason) => /did not respond within 1s/.test(reason)).length).toBeGreaterThanOrEqual(
      maxAtOnce.asked,
    );
    expect(all.slice(maxAtOnce.asked).some((reason) => /a question waited 1s/.test(reason))).toBe(true);
    expect(all).not.toContain("answered");
  });

  test("leave with their clients", async () => {
    const gone = new AbortController();
    service.answer = () => undefined;
    const engine = engineOf({ timeout: "1m" }, { failures: 1_000_000 });
    const calls = ask(engine, maxAtOnce.asked + 5, gone.signal);
    await expect.poll(() => service.asked.length).toBe(maxAtOnce.asked);
    gone.abort(new Error("gone"));
    expect(new Set(await reasons(calls))).toEqual(new Set(["Error: gone"]));
    service.answer = () => ({ key: "a.tif" });
    expect(await resolve(engine, "next")).toEqual({ key: "a.tif" });
    expect(service.asked).toHaveLength(maxAtOnce.asked + 1);
  });
});

describe("a second attempt", () => {
  test.each([502, 503, 504])("follows status %i once", async (status) => {
    service.answer = (_, response, nth) =>
      nth === 1 ? void response.writeHead(status).end() : { key: "second.tif" };
    expect(await resolve(engineOf())).toEqual({ key: "second.tif" });
    service.asked.length = 0;
    service.answer = (_, response) => void response.writeHead(status).end();
    await expect(resolve(engineOf())).rejects.toThrow(`status ${status}`);
    expect(service.asked).toHaveLength(2);
  });

  test("follows a connection that breaks", async () => {
    service.answer = (_, response, nth) => (nth === 1 ? void response.socket?.destroy() : { key: "b.tif" });
    expect(await resolve(engineOf())).toEqual({ key: "b.tif" });
    expect(service.asked).toHaveLength(2);
  });

  test("does not help if nothing listens, and the reason contains no address", async () => {
    const gone = await startWebhook();
    await gone.close();
    const engine = engineOf({ url: gone.url.replace("http://", "http://ann:secret@") });
    const failure = await resolve(engine).catch((error: Error) => error);
    expect((failure as Error).message).toBe("the webhook cannot be reached: ECONNREFUSED");
  });

  test("does not help if the listener does not speak HTTP", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on("error", () => {}).end("SSH-2.0-nothing\r\n", () => socket.destroy());
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    await expect(resolve(engineOf({ url: `http://127.0.0.1:${port}/` }))).rejects.toThrow(
      /cannot be reached/,
    );
    expect(connections).toBe(2);
    await new Promise((done) => server.close(done));
  });
});

describe("a service that fails again and again", () => {
  test("gets no calls for a while, which the check reports, and is tried again after a pause", async () => {
    let time = 0;
    const engine = engineOf({}, { failures: 3, pauseMs: 1000, now: () => time });
    service.answer = (_, response) => void response.writeHead(500).end();
    for (let nth = 0; nth < 6; nth++) await expect(resolve(engine)).rejects.toThrow(/status 500/);
    expect(service.asked).toHaveLength(3);
    await expect(engine.check()).rejects.toThrow(/is not asked for a moment/);
    time = 1000;
    await expect(engine.check()).resolves.toBeUndefined();
    service.answer = () => ({ key: "a.tif" });
    expect(await resolve(engine)).toEqual({ key: "a.tif" });
    await expect(engine.check()).resolves.toBeUndefined();
  });

  test("is not one with wrong responses, or with clients that leave", async () => {
    const engine = engineOf({}, { failures: 2 });
    service.answer = (_, response) => void response.writeHead(404).end();
    for (let nth = 0; nth < 5; nth++) await expect(resolve(engine)).rejects.toThrow(/status 404/);
    for (let nth = 0; nth < 5; nth++)
      await expect(resolve(engine, "a", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    service.answer = () => ({ key: "a.tif" });
    expect(await resolve(engine)).toEqual({ key: "a.tif" });
    expect(service.asked).toHaveLength(6);
  });
});

describe("cached results", () => {
  test("count for the same input alone", async () => {
    const engine = engineOf({ ttl: "1m" });
    service.answer = ({ input, function: name }) =>
      name === "overlay" ? { image: "a.png" } : { key: `${input.identifier}-${service.asked.length}` };
    expect(await resolve(engine)).toEqual({ key: "a-1" });
    expect(await resolve(engine)).toEqual({ key: "a-1" });
    expect(await resolve(engine, "b")).toEqual({ key: "b-2" });
    const other = inputOf("a", { headers: { "x-group": "staff" } });
    expect(await engine.call("resolve", other)).toEqual({ key: "a-3" });
    expect(await engine.call("overlay", inputOf("a"))).toEqual({ image: "a.png" });
    expect(await resolve(engine)).toEqual({ key: "a-1" });
    expect(service.asked).toHaveLength(4);
  });

  test("do not exist without ttl, nor for failures and unusable responses", async () => {
    const plain = engineOf();
    await resolve(plain);
    await resolve(plain);
    expect(service.asked).toHaveLength(2);
    const engine = engineOf({ ttl: "1m" });
    service.answer = (_, response, nth) =>
      nth === 3 ? void response.writeHead(500).end() : nth === 4 ? { kye: "a" } : { key: "a.tif" };
    await expect(resolve(engine)).rejects.toThrow(/status 500/);
    await expect(resolve(engine)).rejects.toThrow(/form of resolve/);
    expect(await resolve(engine)).toEqual({ key: "a.tif" });
  });

  test("end with ttl", async () => {
    const engine = engineOf({ ttl: "1ms" });
    await resolve(engine);
    await new Promise((done) => setTimeout(done, 20)); // longer than ttl
    await resolve(engine);
    expect(service.asked).toHaveLength(2);
  });
});

describe("options", () => {
  test.each([
    [{ url: "ftp://example.org/" }],
    [{ url: "hooks.example.org" }],
    [{ url: "https://example.org/#x" }],
    [{ functions: [] }],
    [{ functions: ["resolv"] }],
    [{ timeout: "0s" }],
  ])("%j are refused", (options) => {
    expect(webhookOptions.safeParse({ url: "https://example.org/", ...options }).success).toBe(false);
    expect(webhookOptions.safeParse({ url: "https://example.org/" }).success).toBe(true);
  });

  test("without a URL refuse to build the engine", () => {
    expect(() => engineOf({ url: "" })).toThrow(/^hook\.webhook\.url: expected/);
  });
});
