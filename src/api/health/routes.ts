// Liveness and readiness.

import type { Hono } from "hono";
import type { Service } from "../../service.ts";
import type { Env } from "../http/context.ts";
import { mountGet } from "../http/methods.ts";

const json = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/** Mounts /health and /ready. */
export function mountHealth(app: Hono<Env>, service: Service): void {
  mountGet(app, "/health", () => {
    const uptimeSeconds = Math.floor((Date.now() - service.startedAt) / 1000);
    return new Response(JSON.stringify({ status: "ok", version: service.version, uptimeSeconds }), {
      headers: json,
    });
  });

  mountGet(app, "/ready", async () => {
    const readiness = await service.ready();
    return new Response(JSON.stringify(readiness), {
      status: readiness.status === "ready" ? 200 : 503,
      headers: json,
    });
  });
}
