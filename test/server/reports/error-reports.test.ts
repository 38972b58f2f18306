// Error reports to a real server: their contents and frequency, and that they delay nothing.
// @module-tag slow

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import type { LogFields } from "../../../src/base/telemetry/log.ts";
import { createErrorReports, type Failure } from "../../../src/server/reports/error-reports.ts";
import { readCounts } from "../../counts.ts";
import { type Served, served } from "../../served.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

const received: Received[] = [];
let answerWith: number | undefined = 204;
/** Number of requests whose connections the server closes instead of reading them. */
let closes = 0;
const server = createServer(async (request, response) => {
  if (closes > 0) {
    closes--;
    request.socket.destroy();
    return;
  }
  let text = "";
  for await (const part of request) text += part;
  received.push({ headers: request.headers, body: JSON.parse(text) });
  if (answerWith !== undefined) response.writeHead(answerWith, { Location: "/elsewhere" }).end();
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports?project=7`;
});
afterEach(() => {
  received.length = 0;
  answerWith = 204;
  closes = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function reporter(reportUrl = url, token_env = "") {
  const counts = createCounts("sent", "failed", "repeated", "dropped");
  const warnings: LogFields[] = [];
  let time = 0;
  const reports = createErrorReports(
    { report_url: reportUrl, token_env },
    {
      platform: { name: "node", version: "20.1.0", env: { TOKEN: "hunter2\n" } },
      version: "1.2.3",
      log: { warn: (_message, fields = {}) => void warnings.push(fields) },
      counts,
      now: () => time,
    },
  );
  if (!reports) throw new Error("expected reports");
  const passes = (ms: number) => {
    time += ms;
  };
  return { ...reports, counted: () => readCounts(counts), warnings, passes };
}

const failure: Failure = {
  id: "a-1",
  method: "GET",
  path: "/iiif/3/a.jpg/info.json",
  route: "iiif/3 info",
  status: 500,
  code: "decode",
  detail: "The file is damaged.",
};

test("nothing is reported without an address, and a token that is not set stops the start", () => {
  const parts = {
    platform: { name: "node", version: "", env: {} },
    version: "",
    log: { warn() {} },
    counts: createCounts("sent", "failed", "repeated", "dropped"),
  } as const;
  expect(createErrorReports({ report_url: "", token_env: "TOKEN" }, parts)).toBeUndefined();
  expect(() => createErrorReports({ report_url: url, token_env: "TOKEN" }, parts)).toThrow(/TOKEN/);
});

test("a report contains the error, its location and the version, with the token", async () => {
  const { report, close, counted } = reporter(url, "TOKEN");
  const before = Date.now();
  report({ ...failure, cause: "Error: no answer from https://u:hunter2@h.example/a?key=hunter2\n    at x" });
  await close();
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  expect(headers).toMatchObject({ authorization: "Bearer hunter2", "content-type": "application/json" });
  const { at, ...rest } = body;
  expect(rest).toEqual({
    service: "smalti",
    version: "1.2.3",
    runtime: "node 20.1.0",
    ...failure,
    cause: "Error: no answer from https://***@h.example/a?key=***\n    at x",
    repeated: 0,
  });
  expect(Date.parse(String(at))).toBeGreaterThanOrEqual(before);
  expect(Date.parse(String(at))).toBeLessThanOrEqual(Date.now());
  expect(counted()).toEqual({ sent: 1, failed: 0, repeated: 0, dropped: 0 });
});

test("failures of a kind are one report a minute, which counts those in between", async () => {
  const { report, close, counted, passes } = reporter();
  const cause = (n: number) => `Error: ENOENT: no such file, open '/data/${n}.jpg' after ${n} ms`;
  for (let n = 0; n < 5; n++) report({ ...failure, id: `a-${n}`, cause: cause(n) });
  report({ ...failure, code: "encode" });
  passes(59_999);
  report({ ...failure, cause: cause(6) });
  passes(1);
  report({ ...failure, id: "a-7", cause: cause(7) });
  await close();
  expect(received.map(({ body: { id, code, repeated } }) => [id, code, repeated]).sort()).toEqual([
    ["a-0", "decode", 0],
    ["a-1", "encode", 0],
    ["a-7", "decode", 5],
  ]);
  expect(counted()).toEqual({ sent: 3, failed: 0, repeated: 5, dropped: 0 });
});

test("texts in a report are bounded", async () => {
  const { report, close } = reporter();
  report({ ...failure, cause: "x".repeat(1_000_000) });
  await close();
  expect(JSON.stringify(received[0]?.body).length).toBeLessThan(10_000);
});

test("a server that hangs gets at most 32 reports at a time and five seconds for each", async () => {
  answerWith = undefined;
  const { report, close, counted, warnings } = reporter();
  for (let n = 0; n < 40; n++)
    report({ ...failure, code: `kind_${"abcdefghij"[n % 10]}${"abcd"[(n / 10) | 0]}` });
  expect(counted().dropped).toBe(8);
  await close();
  expect(counted()).toEqual({ sent: 0, failed: 32, repeated: 0, dropped: 8 });
  expect(warnings).toEqual([{ server: new URL(url).origin, reason: "no response within 5 s" }]);
});

test.each([500, 302])("status %d is a failure, and a redirect is not followed", async (status) => {
  answerWith = status;
  const { report, close, counted, warnings } = reporter();
  report(failure);
  await close();
  expect(counted()).toMatchObject({ sent: 0, failed: 1 });
  expect(received).toHaveLength(1);
  expect(String(warnings[0]?.reason)).toMatch(/status/);
});

test("a report arrives although the server closes the connection as it comes", async () => {
  const { report, close, counted } = reporter();
  closes = 1;
  report(failure);
  await close();
  expect(received).toHaveLength(1);
  expect(counted()).toEqual({ sent: 1, failed: 0, repeated: 0, dropped: 0 });
});

test("a server that is not there costs a warning a minute", async () => {
  const { report, close, counted, warnings } = reporter("http://127.0.0.1:1/hooks/hunter2");
  report(failure);
  report({ ...failure, code: "other" });
  await close();
  expect(counted().failed).toBe(2);
  expect(warnings).toMatchObject([{ server: "http://127.0.0.1:1" }]);
  expect(JSON.stringify(warnings)).not.toContain("hunter2"); // such paths are often the secret
});

describe("the application", () => {
  let app: Served;
  const surface = (
    routes: Parameters<NonNullable<NonNullable<Parameters<typeof served>[2]>["surface"]>>[0],
  ) =>
    routes.add({
      path: "/bug",
      get() {
        throw new TypeError("hunter2 is not a function");
      },
    });
  beforeAll(async () => {
    app = await served(`errors: { report_url: "${url}" }\nlimits: { max_in_flight: 1 }`, {}, { surface });
  });
  afterAll(() => app.service.close());

  test("reports responses with status 5xx except 501, without query, headers and address", async () => {
    const headers = { Authorization: "Bearer hunter3", Cookie: "session=hunter4" };
    const init = { headers, peer: "198.51.100.77" };
    const bug = await app.get("/bug?key=hunter5", init);
    expect(bug.status).toBe(500);
    expect(await bug.text()).not.toContain("hunter2");
    for (const target of ["/nothing", "/iiif/3/base.png/info.json", "/iiif/3/base.png/x/max/0/default.jpg"])
      expect((await app.get(target, init)).status).toBeLessThan(500);
    expect((await app.get("/iiif/3/bad-empty.jpg/full/max/0/default.jpg", init)).status).toBe(501);
    const damaged = await app.get("/iiif/3/bad-trunc-50.png/full/max/0/default.jpg", init);
    expect(damaged.status).toBeGreaterThanOrEqual(500);
    const busy = app.get("/iiif/3/base.png/full/max/16/default.png", init);
    expect((await app.get("/iiif/3/base.png/info.json", init)).status).toBe(503);
    await busy;
    await expect.poll(() => received.length).toBe(3);
    const bodies = received.map(({ body }) => body);
    expect(bodies.find(({ route }) => route === "other")).toMatchObject({
      id: bug.headers.get("X-Request-Id"),
      path: "/bug",
      status: 500,
      code: "internal_error",
      cause: expect.stringContaining("TypeError: hunter2 is not a function"),
    });
    expect(bodies.find(({ status }) => status === 503)).toMatchObject({ code: "too_many_requests" });
    expect(bodies.find(({ path }) => String(path).includes("bad-trunc"))).toMatchObject({
      status: damaged.status,
      route: "iiif/3 image",
    });
    expect(JSON.stringify(bodies)).not.toMatch(/hunter[345]|198\.51/);
  });
});
