// Names in the built files: no hosts but those of specifications, no paths of the build machine.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built.remove());

/**
 * Hosts that stand in texts: identifiers of specifications, examples, names of bindings; none of them is
 * asked.
 */
const named = new Set([
  "iiif.io",
  "json-schema.org",
  "www.w3.org",
  "ns.adobe.com",
  "purl.org",
  "www.aiim.org",
  "example.org",
  "images.example.org",
  "hooks.example.org",
  "login.example.org",
  "www.example.org",
  "viewer.example.org",
  "errors.example.org",
  "opensearch.example.org",
  "library.stanford.edu",
  // Profiles of ALTO, PAGE and hOCR.
  "www.loc.gov",
  "schema.primaresearch.org",
  "kba.cloud",
  "creativecommons.org",
  "rightsstatements.org",
  "localhost",
  "export.invalid",
  "warm.invalid",
  "ACCOUNT.blob.core.windows.net",
  "127.0.0.1",
  "github.com",
  "upstash.com",
  // The hosts of AWS begin so; their region follows.
  "s3.",
  "sts.",
  // Where containers and instances find the credentials of their role.
  "169.254.170.2",
  "169.254.169.254",
  "check.invalid",
  "s3.example.org",
  "disk",
  "assets",
]);

test.each(["app.js", "main.js", "program.js", "thread.js", "workerd.js", "mcp.js"])(
  "%s names no other host",
  (file) => {
    const text = readFileSync(join(built.dist, file), "utf8");
    const hosts = [...text.matchAll(/\b(?:https?|wss?):\/\/([A-Za-z0-9][A-Za-z0-9.-]*)/g)].map(
      ([, host = ""]) => host,
    );
    expect([...new Set(hosts)].filter((host) => !named.has(host))).toEqual([]);
  },
);

test.each(["app.js", "main.js", "program.js", "thread.js", "workerd.js", "mcp.js", "workerd.capnp"])(
  "%s contains no path of the build machine",
  (file) => {
    expect(readFileSync(join(built.dist, file), "utf8")).not.toContain(process.cwd());
  },
);

test("the code of the Model Context Protocol is in a separate file, which is loaded when a message arrives", () => {
  const app = readFileSync(join(built.dist, "app.js"), "utf8");
  expect(app.match(/[^\n]{0,20}\.\/mcp\.js[^\n]{0,2}/g)).toEqual([
    expect.stringContaining('import("./mcp.js")'),
  ]);
  // A method of the protocol, as its packages spell it.
  expect(app).not.toContain("notifications/cancelled");
  expect(readFileSync(join(built.dist, "mcp.js"), "utf8")).toContain("notifications/cancelled");
});
