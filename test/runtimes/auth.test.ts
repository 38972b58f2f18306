// Rules gate images on every runtime: what is refused, shown as less, and granted.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chosenRuntimes } from "./runtimes.ts";
import { type Started, startServer } from "./server.ts";

const extra = `auth:
  profiles:
    terms: { pattern: clickthrough, access_service: { backend: builtin } }
    preview: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!60,60" } }
    proxy: { pattern: external, access_service: { backend: header } }
  rules:
    - { match: base.png, profile: terms }
    - { match: deep/*, profile: terms }
    - { match: jpg-baseline-420.jpg, profile: preview }
    - { match: gif-static.gif, profile: proxy }
`;

describe.each(chosenRuntimes())("access by rules on $name", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, { extra });
  }, 300_000);
  afterAll(() => server.close());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/iiif/3/${path}`, { headers });
  const random = "A".repeat(43);

  it("refuses a gated image, and says in its information where to log in", async () => {
    for (const headers of [
      {},
      { Cookie: `service_session=${random}` },
      { Authorization: `Bearer ${random}` },
    ]) {
      const image = await ask("base.png/full/max/0/default.jpg", headers as Record<string, string>);
      expect(image.status).toBe(401);
      expect(image.headers.get("Cache-Control")).toBe("no-store");
      expect(await image.json()).toMatchObject({ code: "access_denied" });
    }
    expect((await ask("deep%2Fnothing/full/max/0/default.jpg")).status).toBe(401);
    const info = await ask("base.png/info.json");
    expect(info.status).toBe(401);
    expect(info.headers.get("Vary")).toContain("Cookie, Authorization");
    const { service, width } = (await info.json()) as { service: { id: string }[]; width: number };
    expect(width).toBe(600);
    expect(service.map(({ id }) => id)).toEqual([`${server.url}/iiif/auth/probe/base.png`, undefined]);
  });

  it("shows a substitute under the same address", async () => {
    const image = await ask("jpg-baseline-420.jpg/full/max/0/default.png");
    expect(image.status).toBe(200);
    expect(image.headers.get("Cache-Control")).toBe("private, no-cache");
    const bytes = Buffer.from(await image.arrayBuffer());
    // Width and height in the header of a PNG.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([60, 40]);
  });

  it("grants what a proxy vouches for", async () => {
    const target = "gif-static.gif/full/100,/0/default.jpg";
    expect((await ask(target)).status).toBe(401);
    expect((await ask(target, { "X-Forwarded-User": "ann" })).status).toBe(200);
  });

  it("leaves all others public", async () => {
    const image = await ask("webp-lossy.webp/full/100,/0/default.jpg", {
      Cookie: `service_session=${random}`,
    });
    expect(image.status).toBe(200);
    expect(image.headers.get("Cache-Control")).toMatch(/^public/);
  });
});
