// The lines of requests that come in a burst: each of them is in the log, in its order, when the process has
// ended.

import { describe, expect, it } from "vitest";
import { runtimesFor } from "../selection.ts";
import { startServer } from "../server.ts";

const burst = 40;

describe.each(runtimesFor("log"))("the log on $name", (runtime) => {
  it("has the lines of a burst, in order, and before later lines", async () => {
    const server = await startServer(runtime, { extra: "log: { requests: true, format: json }\n" });
    try {
      for (let i = 0; i < burst; i++)
        await (await fetch(`${server.url}/iiif/3/burst-${i}/info.json`)).arrayBuffer();
      if (!runtime.hosted) {
        server.signal("SIGTERM");
        expect(await server.ended).toBe(0);
      }
      const numbers = () =>
        [...server.output().matchAll(/"path":"\/iiif\/3\/burst-(\d+)\/info\.json"/g)].map(([, n]) =>
          Number(n),
        );
      await expect.poll(numbers).toEqual(Array.from({ length: burst }, (_, i) => i));
      if (!runtime.hosted)
        expect(server.output().indexOf('"stopping"')).toBeGreaterThan(
          server.output().indexOf(`burst-${burst - 1}/`),
        );
    } finally {
      await server.close();
    }
  });
});
