// The figures at /metrics, in the form that Prometheus takes.

import { beforeAll, describe, expect, it } from "vitest";
import { hasPromtool, promtool } from "../../promtool.ts";
import type { Started } from "../server.ts";
import type { OperationTest } from "./operation-test.ts";

export const testMetrics: OperationTest = (runtime, start) =>
  describe.each([runtime])("/metrics on $name", () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });

    it("counts requests, and names the runtime", async () => {
      for (const target of ["full/100,/0/default.jpg", "full/100,/0/default.jpg", "full/9999,/0/default.jpg"])
        await (await fetch(`${server.url}/iiif/3/base.png/${target}`)).arrayBuffer();
      const response = await fetch(`${server.url}/metrics`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const text = await response.text();
      const lines = text.split("\n");
      expect(lines).toContain('smalti_http_requests_total{route="iiif/3 image",status="2xx"} 2');
      expect(lines).toContain('smalti_http_requests_total{route="iiif/3 image",status="4xx"} 1');
      expect(lines).toContain('smalti_cache_lookups_total{slot="render",outcome="hit"} 1');
      expect(lines.find((line) => line.startsWith("smalti_build_info"))).toContain(
        `runtime="${runtime.name.replace(/\d+$/, "")}"`,
      );
      const resident = lines.find((line) => line.startsWith('smalti_process_memory_bytes{kind="resident"}'));
      expect(resident === undefined, "workerd does not say").toBe(runtime.hosted === true);
      if (hasPromtool) expect(promtool(["check", "metrics"], text)).toEqual({ status: 0, output: "" });
    });
  });
