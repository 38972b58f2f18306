// Hostile requests over sockets on every runtime: each is refused or costs nothing, and the service responds
// to others afterwards. What they cost is bounded in test/hostile/, on Node.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawExchange } from "../server/platform/server/raw-http.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

/** Bun and workerd accept about 16 KiB of headers. */
const long = 12_000;

interface Hostile {
  readonly name: string;
  readonly target?: string;
  readonly host?: string;
  readonly fields?: readonly string[];
  /** `refused`: a status from 400; `ignored`: the response is that of a plain request. */
  readonly expected: "refused" | "ignored";
}

const requests: readonly Hostile[] = [
  { name: "a host of one long label", host: "h".repeat(long), expected: "refused" },
  { name: "a host of many labels", host: "h.".repeat(long / 2), expected: "refused" },
  { name: "a host of 254 characters", host: `${"h.".repeat(126)}hh`, expected: "refused" },
  { name: "a host with a label of 64 characters", host: "h".repeat(64), expected: "refused" },
  { name: "a long prefix", fields: [`X-Forwarded-Prefix: /${"p".repeat(long)}`], expected: "ignored" },
  {
    name: "a prefix of many segments",
    fields: [`X-Forwarded-Prefix: ${"/p".repeat(long / 2)}`],
    expected: "ignored",
  },
  {
    name: "a prefix of slashes",
    fields: [`X-Forwarded-Prefix: /a${"/".repeat(long)}a`],
    expected: "ignored",
  },
  { name: "a long forwarded host", fields: [`X-Forwarded-Host: ${"h".repeat(long)}`], expected: "ignored" },
  { name: "a folder between slashes", target: `/?in=a${"%2F".repeat(2000)}a`, expected: "refused" },
];

/** Manifest files in YAML by the names of their folders. */
const manifestFiles = {
  "deep-yaml": "[".repeat(100_000),
  "yaml-of-many-keys": Array.from({ length: 60_000 }, (_, n) => `k${n}: v${n}\n`).join(""),
} as const;

function arrange(images: string): void {
  for (const [name, text] of Object.entries(manifestFiles)) {
    mkdirSync(join(images, name));
    copyFileSync(join(images, "base.png"), join(images, name, "base.png"));
    writeFileSync(join(images, name, "manifest.yaml"), text);
  }
}

describe.each(runtimesFor("hostile"))("smalti on $name", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, { arrange });
  });
  afterAll(() => server?.close());

  const request = ({
    target = "/iiif/presentation/3",
    host = "images.test",
    fields = [],
  }: Partial<Hostile>) =>
    rawExchange(
      server.port,
      [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...fields, "Connection: close", "", ""].join("\r\n"),
      true,
    );
  const bodyOf = (answer: string) => answer.slice(answer.indexOf("\r\n\r\n"));

  it.each(requests)("refuses or ignores $name", async (hostile) => {
    const plain = await request({ ...(hostile.target && { target: hostile.target }) });
    const answer = await request(hostile);
    if (hostile.expected === "ignored") {
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(bodyOf(answer)).toBe(bodyOf(plain));
    } else {
      // workerd's own refusals are 500.
      expect(answer).toMatch(runtime.hosted ? /^HTTP\/1\.1 (4\d\d|500) / : /^HTTP\/1\.1 4\d\d /);
      expect(answer.length).toBeLessThan(2_000);
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it.each(Object.keys(manifestFiles))(
    "serves the images of the folder %s, and says what is ignored",
    async (name) => {
      for (let visit = 0; visit < 2; visit++) {
        const response = await fetch(`${server.url}/iiif/presentation/3/${name}`);
        expect(response.status).toBe(200);
        expect(response.headers.get("X-Ignored-Manifest-File")).toMatch(/^manifest\.yaml/);
        expect((await response.json()).items).toHaveLength(1);
      }
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    },
  );

  it.each(["identity, chunked", "chunked, identity", "xchunked"])(
    "handles no request that hides in a body with the transfer coding %j",
    async (coding) => {
      const hidden = "0\r\n\r\nGET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
      const text = `POST /iiif/presentation/3 HTTP/1.1\r\nHost: images.test\r\nTransfer-Encoding: ${coding}\r\n\r\n${hidden}`;
      const answer = await rawExchange(server.port, text, runtime.hosted);
      // workerd's own refusals are 500.
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([runtime.hosted ? "HTTP/1.1 500" : "HTTP/1.1 400"]);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    },
  );
});
