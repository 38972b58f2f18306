// The gate of a document: decisions about all of its images without checking each.

import { expect, test } from "vitest";
import { Gate } from "../../../src/server/manifests/gate.ts";
import { served } from "../../served.ts";

const caller = { identifier: "", path: "/", header: () => undefined };
const rules = `auth:
  profiles: { staff: { pattern: kiosk, kiosk: { allowed_ips: [192.0.2.0/24] }, access_service: { backend: builtin } } }
  rules: [{ match: "closed/*", profile: staff }]`;
const hook = "hook: { engine: webhook, webhook: { url: 'http://127.0.0.1:9/', functions: [authorize] } }";

test.each([
  ["of every image once if no rule and no hook decides on any", "", true],
  ["of each image by itself if a rule decides on some", rules, false],
  ["of each image by itself if a hook decides", hook, false],
])("speaks %s", async (_, yaml, expected) => {
  const app = await served(yaml);
  const { images, auth } = app.service;
  expect(new Gate({ images, auth }, caller, "").passForAll() !== undefined).toBe(expected);
  await app.service.close();
});
