// Unreachable services are reported at start in the same words by the start text, the log and /ready, on
// every runtime.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chosenRuntimes } from "../runtimes.ts";
import { type Started, startServer } from "../server.ts";

describe.each(chosenRuntimes())("checks at start on $name", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, {
      // Nobody listens on port 1.
      sources: ['{ name: far, prefix: far/, type: http, url: "http://127.0.0.1:1/{identifier}" }'],
    });
  });
  afterAll(() => server.close());

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
