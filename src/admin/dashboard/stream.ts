// The stream of dashboard frames: server-sent events (HTML, section 9.2), for as many browsers as the hub has
// places.

import { type Hub, maxWatchers, Refusal, type RequestContext } from "../../server/index.ts";
import type { AdminPage } from "../admin.ts";

/**
 * Not counted: the request would be in flight for as long as somebody watches, and would add bytes that
 * nobody requested.
 */
export const streamRoutes: AdminPage = ({ service: { dashboard } }) => [
  {
    path: "/admin/stats/stream",
    counted: false,
    get: (c) => openStream(c, dashboard.hub),
  },
];

const headers = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // A proxy that buffers responses (nginx) would show outdated figures.
  "X-Accel-Buffering": "no",
} as const;

/** Opens a stream; HEAD checks for a free place without taking it. Throws a Refusal: 503. */
function openStream(c: RequestContext, hub: Hub): Response {
  if (!hub.hasRoom()) throw tooManyWatch;
  if (c.req.method === "HEAD") return new Response(null, { headers });
  let leave: (() => void) | undefined;
  const { signal } = c.req.raw;
  const onLeave = () => {
    signal.removeEventListener("abort", onLeave);
    leave?.();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        leave = hub.join({
          isReady: () => (controller.desiredSize ?? 0) > 0,
          take: (message) => controller.enqueue(message),
          end() {
            signal.removeEventListener("abort", onLeave);
            controller.close();
          },
        });
      },
      cancel: onLeave,
    },
    // At most one frame waits: later frames replace frames that a browser has not read.
    { highWaterMark: 1 },
  );
  signal.addEventListener("abort", onLeave);
  return new Response(body, { headers });
}

const tooManyWatch = new Refusal({
  status: 503,
  code: "too_many_dashboards",
  detail: `Expected at most ${maxWatchers} open dashboards; this would be one more. Close one, or try again later.`,
  headers: { "Retry-After": "10" },
});
