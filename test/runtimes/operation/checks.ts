// Unreachable services are reported at start in the same words by the start text, the log and /ready.

import { beforeAll, describe, expect, it } from "vitest";
import type { Started } from "../server.ts";
import type { OperationTest } from "./operation-test.ts";

export const testChecks: OperationTest = (runtime, start) =>
  describe.each([runtime])("checks at start on $name", () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });

    it("name a source whose server is unreachable", async () => {
      await expect
        .poll(server.output)
        .toMatch(
          /source "far": http:\/\/127\.0\.0\.1:1\/\{identifier\}: .*does not respond\. Start its server/,
        );
      expect(server.output()).toMatch(
        /warn +a source cannot be used at the moment source=far error=.*does not/,
      );
      const ready = await fetch(`${server.url}/ready`);
      expect(ready.status).toBe(503);
      const { status, sources } = (await ready.json()) as {
        status: string;
        sources: { name: string; healthy: boolean; error?: string }[];
      };
      expect(status).toBe("unready");
      expect(sources.map(({ name, healthy }) => [name, healthy])).toEqual([
        ["images", true],
        ["far", false],
      ]);
      expect(sources[1]?.error).toMatch(/does not respond/);
      expect((await fetch(`${server.url}/iiif/3/base.png/info.json`)).status).toBe(200);
    });
  });
