// Looks of the operator: at every image, without a decision of the access rules, and not longer than a page
// can wait.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lookAsOperator, lookAtAll } from "../../../src/server/images/operator.ts";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

let app: Served;
let silent: Server;

beforeAll(async () => {
  // Accepts requests and never responds.
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  app = await served(`
sources:
  - { name: files, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }
  - { name: silent, type: http, url: "http://127.0.0.1:${port}/{identifier}", prefix: silent/ }
auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [198.51.100.0/24] } } }
  rules: [{ match: "*", profile: room }]
`);
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await app.service.close();
});

test("a gated image is looked at, and nothing is noted as a decision", async () => {
  expect(await lookAsOperator(app.service.images, "base.png")).toEqual({
    identifier: "base.png",
    size: { width: 600, height: 400 },
  });
  expect(app.service.decisions.latest()).toEqual([]);
});

test("an image that cannot be shown has its reason", async () => {
  const { problem, size } = await lookAsOperator(app.service.images, "bad-text.jpg");
  expect(size).toBeUndefined();
  expect(problem).toMatchObject({ kind: "unsupported", code: "unsupported_format" });
  expect((await lookAsOperator(app.service.images, "nowhere.png")).problem?.kind).toBe("not-found");
});

test("images of a source that does not respond delay no others, and are undefined when the time is over", async () => {
  const identifiers = ["silent/a.png", "base.png", "silent/b.png", "nowhere.png"];
  const looks = await lookAtAll(app.service.images, identifiers, 2000);
  expect(looks.map((look) => look?.size?.width ?? look?.problem?.kind)).toEqual([
    undefined,
    600,
    undefined,
    "not-found",
  ]);
});
