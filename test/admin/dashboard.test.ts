// The status page as the server writes it: whole without a script.

import { afterEach, describe, expect, test, vi } from "vitest";
import type { HistorySample } from "../../src/server/stats/history.ts";
import { type Served, served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

const open: Served[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
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
    expect(shown(html, "verdict.text")).toBe("Everything works.");
    // It comes before everything else of the page.
    expect(html.indexOf("Everything works.")).toBeLessThan(html.indexOf('data-of="rate"'));
    expect([shown(html, "rate"), shown(html, "failuresLately")]).toEqual([expect.any(String), "0"]);
    expect(shown(html, "imageMs")).toBe(shown(html, "routes.3.p95Ms"));
    const route = (html.match(/data-of="routes\.\d\.requests"/g) ?? []).length;
    expect(route).toBe(8);
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
    expect(shown(html, "problems.0.advice")).toContain("Replace the file");
    expect(shown(html, "verdict.text")).toBe("Everything works, but one thing needs a look.");
  });

  test("counts neither the challenge for its own password nor a file that is no image as a failure", async () => {
    const app = await application();
    expect((await app.get("/admin/")).status).toBe(401);
    expect((await app.get("/iiif/3/bad-text.jpg/full/max/0/default.jpg")).status).toBe(501);
    const html = await page(app);
    expect([shown(html, "errors"), shown(html, "clientErrors")]).toEqual(["0", "1"]);
    expect(shown(html, "recentClientErrors.0.status")).toBe("501");
    expect(shown(html, "verdict.text")).toBe("Everything works.");
    // It comes before everything else of the page.
    expect(html.indexOf("Everything works.")).toBeLessThan(html.indexOf('data-of="rate"'));
    expect([shown(html, "rate"), shown(html, "failuresLately")]).toEqual([expect.any(String), "0"]);
    expect(shown(html, "imageMs")).toBe(shown(html, "routes.3.p95Ms"));
  });

  test("leads from a slow image to its page, whatever its name is", async () => {
    const app = await application();
    const { service } = app;
    const { StageClock } = await import("../../src/base/telemetry/stage-times.ts");
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

  test("draws the history of the process, with axes, and again for its script", async () => {
    const app = await application();
    const { history } = app.service.dashboard;
    await expect.poll(() => history?.read()).toHaveLength(1);
    expect(await page(app)).toContain("Its chart begins in a minute.");
    const samples: HistorySample[] = [0, 4, 1].map((failures, i) => ({
      at: Date.now() - (2 - i) * 3_600_000,
      rate: 10 * i,
      imageMs: 1500,
      failures,
      waiting: 0,
      memory: 2 ** 30,
      hitRate: i === 1 ? null : 0.25,
    }));
    vi.spyOn(history as NonNullable<typeof history>, "read").mockReturnValue(samples);
    const fragment = await app.get("/admin/stats/charts", { headers: asOperator });
    expect(fragment.headers.get("Cache-Control")).toBe("no-store");
    expect((await app.get("/admin/stats/charts")).status).toBe(401);
    for (const html of [await page(app), await fragment.text()]) {
      const chart = (name: string) =>
        new RegExp(`data-chart="${name}">(.*?)</svg>.*?<span class="now">`, "s").exec(html)?.[0] ?? "";
      const axis = (name: string) =>
        [...chart(name).matchAll(/<span class="(?:top|bottom|since)">([^<]*)/g)].map(([, text]) => text);
      expect(axis("failures")).toEqual(["4", "0", "2 h ago"]);
      expect(axis("memory")).toEqual(["1 GiB", "0 B", "2 h ago"]);
      expect(axis("imageMs")).toEqual(["1.5 s", "0 ms", "2 h ago"]);
      expect(chart("failures")).toContain(
        'aria-label="Failures in each 20 seconds, since 2 h ago: from 0 to 4."',
      );
      // In a box of 300 × 64 from the first sample to now, the largest at the top.
      expect(/points="([^"]*)"/.exec(chart("failures"))?.[1]).toMatch(
        /^0\.0,64\.0 150\.0,0\.0 300\.0,48\.0$|^0\.0,64\.0 149\.9,0\.0 (?:300\.0|299\.9),48\.0$/,
      );
      // A line ends where there is no value, and shares are drawn within 100 %.
      expect(chart("hitRate").match(/<polyline/g)).toHaveLength(2);
      expect(axis("hitRate")[0]).toBe("100 %");
    }
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
