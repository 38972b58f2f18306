// The operator's log of a "try again" response: its code, and the cause if there is one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Log, type LogFields, silentLog } from "../../../../src/base/telemetry/log.ts";
import { asOperator, operator } from "../../../admin/operator.ts";
import { type Served, served } from "../../../served.ts";
import { servedWithAuth } from "../auth/served.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-failures-"));
const open: Served[] = [];
afterAll(async () => {
  await Promise.all(open.map((app) => app.service.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a log that records its entries: the line of each request, and the errors. */
function reading() {
  const requests: LogFields[] = [];
  const errors: [string, LogFields][] = [];
  const log: Log = {
    ...silentLog,
    info: (message, fields) => {
      if (message === "request" && typeof fields === "function") requests.push(fields());
    },
    error: (message: string, fields: LogFields = {}) => void errors.push([message, fields]),
  };
  return { log, requests, errors };
}

const opened = (app: Served): Served => {
  open.push(app);
  return app;
};

describe("a session store that does not respond", async () => {
  const { log, requests, errors } = reading();
  // Nothing listens at port 1.
  const session = "session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 200ms } }";
  const app = opened(await servedWithAuth({ more: session, over: { log } }));
  const Cookie = `service_session=${"A".repeat(43)}`;

  test.each([
    ["an image", "/iiif/3/agree%2Fbase.png/full/max/0/default.jpg", 503],
    ["a probe", "/iiif/auth/probe/agree%2Fbase.png", 200],
    ["a token as JSON", "/iiif/auth/v1/token", 503],
    ["a token in a frame", "/iiif/auth/token?messageId=1&origin=https%3A%2F%2Fviewer.example.org", 200],
  ])("logs the code and the cause of %s that was refused", async (_, target, status) => {
    const response = await app.get(target, { headers: { Cookie } });
    expect(response.status).toBe(status);
    expect(requests.at(-1)).toMatchObject({ status, code: "sessions_unavailable" });
    const [message, fields] = errors.at(-1) ?? [];
    expect(message).toBe("request failed");
    expect(fields).toMatchObject({
      id: requests.at(-1)?.id,
      status: 503,
      code: "sessions_unavailable",
      cause: expect.stringContaining("ECONNREFUSED"),
    });
    expect(JSON.stringify(fields)).not.toContain("A".repeat(43));
  });
});

test("a purge of an unavailable store logs its cause, from a script and from the form", async () => {
  const { log, requests, errors } = reading();
  const redis = "{ backend: redis, addr: '127.0.0.1:1', timeout: 200ms }";
  const heap = "{ backend: heap }";
  const cache = `cache: { render: ${redis}, info: ${heap}, origin: ${heap} }`;
  const app = opened(await served(cache, operator, { log }));
  const post = (path: string, type: string, body: string) =>
    app.get(path, { method: "POST", headers: { ...asOperator, "Content-Type": type }, body });
  const answers = [
    await post("/admin/api/purge", "application/json", '{"identifier":"base.png"}'),
    await post("/admin/cache/purge-all", "application/x-www-form-urlencoded", "cache=render"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(requests.map(({ code }) => code)).toEqual(["purge_failed", "purge_failed"]);
  expect(errors).toHaveLength(2);
  for (const [message, fields] of errors) {
    expect(message).toBe("request failed");
    expect(fields).toMatchObject({ code: "purge_failed", cause: expect.stringContaining("ECONNREFUSED") });
  }
});

test("a missing folder of content states is reported in the log, and not in the response", async () => {
  const { log, requests, errors } = reading();
  const dir = join(folder, "states");
  const state = `content_state: { store: { enabled: true, dir: ${JSON.stringify(dir)} } }`;
  const app = opened(await served(state, {}, { log }));
  const answer = await app.get(`/content-state/s/${"A".repeat(22)}`);
  expect([answer.status, (await answer.json()).code]).toEqual([503, "bookmarks_unavailable"]);
  expect(requests.at(-1)).toMatchObject({ status: 503, code: "bookmarks_unavailable" });
  expect(errors).toHaveLength(1);
  expect(errors[0]?.[1].cause).toContain("The content state folder does not exist.");
});

test("a full queue has no cause, so that only its code is logged", async () => {
  const { log, requests, errors } = reading();
  const app = opened(await served("image: { max_concurrent: 1 }", {}, { log }));
  app.service.images.admission.limit({ waiting: 0 });
  let end = () => {};
  const running = app.service.images.admission.run(
    { work: { kind: "test", ms: 1 }, memory: 1 },
    undefined,
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const answer = await app.get("/iiif/3/base.png/full/9,/0/default.jpg");
  expect([answer.status, answer.headers.get("Retry-After"), (await answer.json()).code]).toEqual([
    503,
    "1",
    "queue_full",
  ]);
  expect(requests.at(-1)).toMatchObject({ status: 503, code: "queue_full" });
  expect(errors).toEqual([]);
  end();
  await running;
});
