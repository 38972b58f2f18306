// The status page as the server writes it: whole without a script.

import { afterEach, describe, expect, test } from "vitest";
import { type Served, served } from "../../served.ts";
import { asOperator, operator } from "./operator.ts";

const open: Served[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ service }) => service.close()));
});

async function application(yaml = ""): Promise<Served> {
  const heap = "{ backend: heap }";
  const cache = `cache: { render: ${heap}, info: ${heap}, origin: ${heap} }`;
  const app = await served(yaml.includes("cache:") ? yaml : `${cache}\n${yaml}`, operator);
  open.push(app);
  return app;
}

const page = async ({ get }: Served) => (await get("/admin/", { headers: asOperator })).text();

/** The text of what shows the value at a path. */
function shown(html: string, path: string): string | undefined {
  const element = new RegExp(`<(\\w+)[^>]*data-of="${path.replaceAll(".", "\\.")}"[^>]*>([^<]*)</\\1>`).exec(
    html,
  );
  return element?.[2];
}

describe("the status page", () => {
  test("reports what has happened, under the name of its process, with its figures in the page itself", async () => {
    const app = await application();
    for (const target of [
      "100,/0/default.jpg",
      "100,/0/default.jpg",
      "101,/0/default.jpg",
      "9999,/0/default.jpg",
    ])
      await (await app.get(`/iiif/3/base.png/full/${target}`)).arrayBuffer();
    await (await app.get("/iiif/2/base.png/info.json")).arrayBuffer();
    const html = await page(app);
    expect(html).toContain("test:1");
    expect(shown(html, "requests")).toBe("5");
    expect([shown(html, "errors"), shown(html, "clientErrors")]).toEqual(["0", "1"]);
    expect(html).toMatch(/data-empty="problems">\s*All is well\./);
    const route = (html.match(/data-of="routes\.\d\.requests"/g) ?? []).length;
    expect(route).toBe(7);
    expect([shown(html, "routes.3.requests"), shown(html, "routes.3.clientErrors")]).toEqual(["4", "1"]);
    expect(shown(html, "routes.4.requests")).toBe("1");
    expect(shown(html, "routes.5.p95Ms")).toBe("–");
    expect([shown(html, "recentClientErrors.0.route"), shown(html, "recentClientErrors.0.status")]).toEqual([
      "iiif/3 image",
      "400",
    ]);
    expect(shown(html, "sources.0.healthy")).toBe("Healthy");
    // Three lookups of derivatives, one of them found.
    expect(shown(html, "caches.0.hitRate")).toBe("33.3 %");
  });

  test("names damaged masters and reports them at its top, with links", async () => {
    const app = await application();
    await (await app.get("/iiif/3/bad-trunc-50.jpg/full/max/0/default.jpg")).arrayBuffer();
    const html = await page(app);
    expect(shown(html, "damaged.0.identifier")).toBe("bad-trunc-50.jpg");
    expect(html).toContain('href="/admin/view/bad-trunc-50.jpg"');
    expect(shown(html, "problems.0.text")).toContain("A master is damaged");
    expect(html).toMatch(/data-empty="problems" hidden/);
  });

  test("counts neither the challenge for its own password nor a file that is no image as a failure", async () => {
    const app = await application();
    expect((await app.get("/admin/")).status).toBe(401);
    expect((await app.get("/iiif/3/bad-text.jpg/full/max/0/default.jpg")).status).toBe(501);
    const html = await page(app);
    expect([shown(html, "errors"), shown(html, "clientErrors")]).toEqual(["0", "1"]);
    expect(shown(html, "recentClientErrors.0.status")).toBe("501");
    expect(html).toMatch(/data-empty="problems">\s*All is well\./);
  });

  test("leads from a slow image to its page, whatever its name is", async () => {
    const app = await application();
    const { service } = app;
    const { StageClock } = await import("../../../src/lib/telemetry/stage-times.ts");
    const stages = new StageClock(0);
    stages.did({ read: 1, index: 0, decode: 900, steps: 2, encode: 3, reads: 1, readBytes: 10 });
    const identifier = 'a b/<i>"&ü;2.tif';
    stages.setRender({ codec: "tif", format: "jpg", identifier, request: "full/max/0/default.jpg" });
    service.stages.record(stages, 1234);
    const html = await page(app);
    expect(html).toContain('href="/admin/view/a%20b/%3Ci%3E%22%26%C3%BC%3B2.tif"');
    expect(html).not.toContain("<i>");
    expect(shown(html, "slowest.0.ms")).toBe("1.2 s");
    expect([shown(html, "slowest.0.stage"), shown(html, "slowest.0.stageMs")]).toEqual(["decode", "900 ms"]);
  });

  test("has no numbers for a bucket, which cannot count its contents", async () => {
    const bucket = "{ backend: s3, bucket: my-cache, region: eu-west-1, endpoint: 'http://127.0.0.1:9' }";
    const app = await served(
      `cache: { render: ${bucket}, info: { backend: none }, origin: { backend: heap } }`,
      {
        ...operator,
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "key",
      },
    );
    open.push(app);
    const html = await page(app);
    const row = (i: number) =>
      ["entries", "bytes", "hitRate"].map((name) => shown(html, `caches.${i}.${name}`));
    expect(row(0)).toEqual(["–", "–", "–"]);
    expect(row(2)).toEqual(["0", "0 B", "–"]);
  });

  test("names every part that cannot be used, and counts them", async () => {
    const yaml = `sources: [{ name: gone, type: http, url: "http://127.0.0.1:9/{identifier}", timeout: 1s }]`;
    const html = await page(await application(yaml));
    expect([shown(html, "sources.0.healthy"), shown(html, "checks.unhealthy")]).toEqual(["Unhealthy", "1"]);
    expect(shown(html, "sources.0.lastError")).toMatch(/\w/);
  });

  test("contains nothing inline that its policy refuses, and is stored nowhere", async () => {
    const app = await application();
    const answer = await app.get("/admin/", { headers: asOperator });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const html = await answer.text();
    expect(html).not.toMatch(/ style=| on[a-z]+=|<style|<script>/);
    expect(html).toMatch(/<script type="module" src="\/static\/@[^"]+\/admin\/dashboard\.js">/);
  });
});
