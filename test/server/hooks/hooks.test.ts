// Calls of hook functions: what they see, what they may return, and what counts as a failure.

import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { type HookEngine, HookError, type HookFunction } from "../../../src/server/hooks/hook.ts";
import { createHooks, type HookRequest } from "../../../src/server/hooks/index.ts";
import { hookOptions } from "../../../src/server/hooks/options.ts";

type Answers = { readonly [F in HookFunction]?: (input: never) => unknown };

function hooksOf(answers: Answers, options: Record<string, unknown> = {}) {
  const asked: [HookFunction, unknown][] = [];
  const lines: Record<string, unknown>[] = [];
  const engine: HookEngine = {
    name: "js",
    has: (name) => answers[name] !== undefined,
    async call(name, input, signal) {
      asked.push([name, input]);
      signal?.throwIfAborted();
      return answers[name]?.(input as never);
    },
    check: async () => {},
    close: async () => {},
  };
  const record = (message: string, fields = {}) => void lines.push({ message, ...fields });
  const hooks = createHooks({
    engine,
    options: hookOptions.parse(options),
    log: { warn: record, error: record },
    sources: ["scans", "vault"],
  });
  return { hooks, asked, lines };
}

const request = (over: Partial<HookRequest> = {}): HookRequest => ({
  identifier: "ms-1",
  page: 2,
  path: "/iiif/3/ms-1;2/info.json",
  client: "192.0.2.7",
  header: (name) => ({ "x-group": "staff", cookie: "a=b" })[name.toLowerCase()],
  ...over,
});

test("a hook without a function is not asked, and its callers get no promise to wait for", () => {
  const { hooks } = hooksOf({});
  expect(hooks.resolve(request())).toBeUndefined();
  expect(hooks.authorize(request())).toBeUndefined();
  expect(hooks.overlay(request())).toBeUndefined();
  expect(hooks.presentation({ id: "a", kind: "manifest", descriptor: {} })).toBeUndefined();
  expect(hooks.sharing()).toBeUndefined();
});

describe("the input", () => {
  test("has no headers and no address unless they are configured", async () => {
    const { hooks, asked } = hooksOf({ resolve: () => undefined });
    expect(await hooks.resolve(request())).toBeUndefined();
    expect(asked).toEqual([
      ["resolve", { identifier: "ms-1", page: 2, request_path: "/iiif/3/ms-1;2/info.json", headers: {} }],
    ]);
  });

  test("has the named headers that were sent, in lower case, and the address if it is known", async () => {
    const { hooks, asked } = hooksOf(
      { authorize: () => undefined },
      { headers: ["X-Group", "Accept-Language", "x-group"], client_ip: true },
    );
    await hooks.authorize(request());
    await hooks.authorize(request({ client: undefined }));
    expect(asked.map(([, input]) => input)).toMatchObject([
      { headers: { "x-group": "staff" }, client_ip: "192.0.2.7" },
      { headers: { "x-group": "staff" } },
    ]);
    expect(asked[0]?.[1]).toHaveProperty("headers", { "x-group": "staff" });
    expect(asked[1]?.[1]).not.toHaveProperty("client_ip");
  });
});

describe("a result", () => {
  test.each([
    ["resolve", { key: "a.tif" }, { key: "a.tif" }],
    ["resolve", { key: "a.tif", source: "vault" }, { key: "a.tif", source: "vault" }],
    ["resolve", { key: "a.tif", source: null }, { key: "a.tif" }],
    ["resolve", false, false],
    ["resolve", null, undefined],
    ["authorize", { allow: true }, { allow: true }],
    ["authorize", { allow: false, status: 418, reason: "No." }, { allow: false, status: 418, reason: "No." }],
    [
      "authorize",
      { allow: false, redirect: "https://ä.example/ö" },
      { allow: false, redirect: "https://xn--4ca.example/%C3%B6" },
    ],
    ["overlay", { image: "a.png" }, { image: "a.png" }],
  ] as const)("of %s may be %j", async (name, answer, expected) => {
    const { hooks } = hooksOf({ [name]: () => answer });
    expect(await hooks[name](request())).toEqual(expected);
  });

  test.each([
    ["resolve", "a.tif", /resolve: expected \{ key, source\?, page\? \}/],
    ["resolve", {}, /form of resolve/],
    ["resolve", true, /form of resolve/],
    ["resolve", { key: "" }, /form of resolve/],
    ["resolve", { key: "a\0b" }, /form of resolve/],
    ["resolve", { key: "a", sourse: "vault" }, /form of resolve/],
    ["resolve", { key: "a".repeat(9000) }, /form of resolve/],
    ["resolve", { key: "a", source: "nowhere" }, /no source named "nowhere"; there are scans, vault/],
    ["authorize", true, /form of authorize/],
    ["authorize", {}, /allow/],
    ["authorize", { allow: "yes" }, /allow/],
    ["authorize", { allow: false, redirect: "/login" }, /redirect: expected an absolute http/],
    ["authorize", { allow: false, redirect: "javascript:alert(1)" }, /redirect/],
    ["authorize", { allow: false, reason: "a\r\nSet-Cookie: b" }, /reason: expected text of one line/],
    ["authorize", { allow: false, redirct: "https://example.org/" }, /redirct/],
    ["authorize", { allow: false, status: "403" }, /status/],
    ["overlay", "a.png", /form of overlay/],
    ["overlay", ["a.png"], /form of overlay/],
  ] as const)("of %s cannot be %j", async (name, answer, why) => {
    const { hooks, lines } = hooksOf({ [name]: () => answer });
    await expect(hooks[name](request())).rejects.toMatchObject({ kind: "hook", code: "hook_failed" });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ hook: "js", function: name, identifier: "ms-1" });
    expect(lines[0]?.error).toMatch(why);
  });
});

test("a failure is logged with its position and reveals nothing to the caller", async () => {
  const { hooks, lines } = hooksOf({
    authorize() {
      throw new HookError("secret is not defined", { position: "hooks.js:12:5" });
    },
  });
  const error = await hooks.authorize(request())?.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as Error).message).not.toMatch(/secret|hooks\.js/);
  expect(lines).toEqual([
    {
      message: "a hook failed",
      hook: "js",
      function: "authorize",
      identifier: "ms-1",
      position: "hooks.js:12:5",
      error: "secret is not defined",
    },
  ]);
});

test("a call for a client that has left is not a failure", async () => {
  const { hooks, lines } = hooksOf({ resolve: () => ({ key: "a" }) });
  const signal = AbortSignal.abort();
  await expect(hooks.resolve(request({ signal }))).rejects.toMatchObject({ kind: "cancelled" });
  expect(lines).toEqual([]);
});

describe("the caching of a response", () => {
  const resolve = () => undefined;
  test.each([
    [{ resolve }, {}, { cachedBy: "anyone", vary: [] }],
    [{ resolve }, { headers: ["X-Group", "x-group"] }, { cachedBy: "anyone", vary: ["x-group"] }],
    [{ resolve }, { client_ip: true }, { cachedBy: "caller", vary: [] }],
    [{ overlay: resolve }, { headers: ["cookie"] }, { cachedBy: "caller", vary: ["cookie"] }],
    [{ resolve }, { headers: ["Authorization"] }, { cachedBy: "caller", vary: ["Authorization"] }],
    [{ resolve }, { headers: ["X-Forwarded-For"] }, { cachedBy: "caller", vary: ["X-Forwarded-For"] }],
    [{ authorize: resolve }, { headers: ["X-Group"] }, { cachedBy: "caller", vary: ["X-Group"] }],
  ])("%j with %j", (answers, options, sharing) => {
    expect(hooksOf(answers, options).hooks.sharing()).toEqual(sharing);
  });
});

describe("a name of a header", () => {
  test.each(["Connection", "transfer-encoding", "Proxy-Authorization", "Host", "a b", "", "x:y", "x\ny"])(
    "%j is refused",
    (name) => {
      expect(hookOptions.safeParse({ headers: [name] }).success).toBe(false);
      expect(hookOptions.safeParse({ headers: ["X-Group"] }).success).toBe(true);
    },
  );
});
