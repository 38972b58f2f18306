// The stream of the dashboard: frames each second, places that come free again, and a stop
// that does not wait for it.

import { beforeAll, describe, expect, it } from "vitest";
import { asOperator } from "../../admin/operator.ts";
import type { Started } from "../server.ts";
import type { OperationTest } from "./operation-test.ts";

interface Frame {
  readonly at: number;
  readonly instance: string;
  readonly requests: number;
  readonly sources?: readonly { readonly name: string; readonly healthy: boolean }[];
}

export const testDashboard: OperationTest = (runtime, start) =>
  describe.each([runtime])("the dashboard on $name", () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });

    const watch = (signal?: AbortSignal) =>
      fetch(`${server.url}/admin/stats/stream`, { headers: asOperator, ...(signal && { signal }) });
    /** Reads the given number of frames. */
    async function read(response: Response, count: number): Promise<Frame[]> {
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const utf8 = new TextDecoder();
      let text = "";
      while (text.split("\n\n").length <= count) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The stream ended after ${text}`);
        text += utf8.decode(value, { stream: true });
      }
      reader.releaseLock();
      const messages = text.split("\n\n").slice(0, count);
      return messages.map((message) => JSON.parse(message.replace(/^data: /, "")));
    }

    it("sends frames, each with the changes since the last", async () => {
      const leaving = new AbortController();
      const stream = await watch(leaving.signal);
      expect([stream.status, stream.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
      const [first] = await read(stream, 1);
      expect(first?.sources?.[0]).toMatchObject({ name: "images", healthy: true });
      expect(first?.instance).toMatch(runtime.hosted ? /^workerd$/ : /:\d+$/);
      for (let i = 0; i < 3; i++)
        await (await fetch(`${server.url}/iiif/3/base.png/${i},0,50,50/max/0/default.jpg`)).arrayBuffer();
      const frames = await read(stream, 3);
      expect(frames.at(-1)?.requests).toBe((first?.requests ?? 0) + 3);
      // The loop has a second between two of them; the clock of a busy machine may be late.
      for (const [i, { at }] of frames.slice(1).entries()) expect(at).toBeGreaterThan(frames[i]?.at ?? at);
      leaving.abort();
    });

    /** A stream, as soon as there is a place. */
    async function watchSoon(signal: AbortSignal): Promise<Response> {
      for (;;) {
        const stream = await watch(signal);
        if (stream.status === 200) return stream;
        await stream.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    it("has 32 places, which are free again when browsers have left", async () => {
      for (let round = 0; round < 3; round++) {
        const leaving = new AbortController();
        const streams: Response[] = [];
        while (streams.length < 32) streams.push(await watchSoon(leaving.signal));
        expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
        await Promise.all(streams.map((stream) => read(stream, 1)));
        const one = await watch();
        expect([one.status, ((await one.json()) as { code: string }).code]).toEqual([
          503,
          "too_many_dashboards",
        ]);
        const head = await fetch(`${server.url}/admin/stats/stream`, { method: "HEAD", headers: asOperator });
        expect(head.status).toBe(503);
        leaving.abort();
      }
    });

    if (!runtime.hosted)
      it("ends with the service, which does not wait for it", async () => {
        const stream = await watchSoon(new AbortController().signal);
        const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
        await reader.read();
        server.signal("SIGTERM");
        while (!(await reader.read()).done);
        expect(await server.ended).toBe(0);
      });
  });
