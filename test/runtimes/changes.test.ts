// The stream of changes on every runtime: the folder of its cache is written by files of the runtime, of
// which one may not replace another.

import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runtimesFor } from "./selection.ts";
import { startServer } from "./server.ts";

const extra = "presentation: { changes: { enabled: true } }\n";
const folder = mkdtempSync(join(tmpdir(), "smalti-changes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(runtimesFor("changes"))("smalti on $name, with a stream of changes", (runtime) => {
  // A server may write below its own folder alone, so that the second one gets a copy of the first's cache.
  const copied = join(folder, runtime.name);
  const arrange = (images: string) => {
    mkdirSync(join(images, "book"));
    copyFileSync(join(images, "base.png"), join(images, "book/1.png"));
    if (existsSync(copied)) cpSync(copied, join(images, "../cache"), { recursive: true });
  };

  it("writes what there is, and goes on with the same stream after a restart; workerd writes nothing", async () => {
    const changes = runtime.hosted ? "{ backend: heap }" : "{ backend: filesystem, path: ./cache }";
    const cache = `{ origin: { backend: heap }, changes: ${changes} }`;
    const streams: string[] = [];
    for (const _ of [1, 2]) {
      const server = await startServer(runtime, { arrange, extra, cache });
      try {
        const status = async () => (await fetch(`${server.url}/iiif/changes`)).status;
        await expect.poll(status).toBe(runtime.hosted ? 404 : 200);
        if (runtime.hosted) return;
        const { first } = await (await fetch(`${server.url}/iiif/changes`)).json();
        const { orderedItems } = await (await fetch(first.id)).json();
        const entries = orderedItems.map(({ type, object }: { type: string; object?: { id: string } }) =>
          [type, object?.id.split("/presentation/3/")[1]].join(" ").trim(),
        );
        expect(entries.slice(0, 2)).toEqual(["Refresh", "Update _images"]);
        streams.push(first.id.slice(server.url.length));
        cpSync(join(server.directory, "cache"), copied, { recursive: true });
      } finally {
        await server.close();
      }
    }
    expect(streams[1]).toBe(streams[0]);
  });
});
