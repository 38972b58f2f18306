// Liveness and readiness.

import type { Service } from "../../service.ts";
import type { Routes } from "../http/routes.ts";

const json = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/** Mounts /health and /ready, which answer above the caps on requests too. */
export function mountHealth(routes: Routes, service: Service): void {
  routes.add({
    path: "/health",
    uncapped: true,
    get() {
      const uptimeSeconds = Math.floor((Date.now() - service.startedAt) / 1000);
      return new Response(JSON.stringify({ status: "ok", version: service.version, uptimeSeconds }), {
        headers: json,
      });
    },
  });

  routes.add({
    path: "/ready",
    uncapped: true,
    async get() {
      const readiness = await service.ready();
      return new Response(JSON.stringify(readiness), {
        status: readiness.status === "ready" ? 200 : 503,
        headers: json,
      });
    },
  });
}
