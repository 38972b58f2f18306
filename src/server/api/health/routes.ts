// Liveness and readiness.

import type { Service } from "../../service.ts";
import { noteRefusal, recordSent } from "../http/context.ts";
import type { Routes } from "../http/routes.ts";

const json = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Mounts /health and /ready, to which the caps on requests do not apply. */
export function mountHealth(routes: Routes, service: Service): void {
  routes.add({
    path: "/health",
    uncapped: true,
    counted: "health",
    get(c) {
      const uptimeSeconds = Math.floor((Date.now() - service.startedAt) / 1000);
      const body = JSON.stringify({ status: "ok", version: service.version, uptimeSeconds });
      return new Response(recordSent(c, body), { headers: json });
    },
  });

  routes.add({
    path: "/ready",
    uncapped: true,
    counted: "health",
    async get(c) {
      const readiness = await service.ready();
      if (readiness.status !== "ready")
        noteRefusal(c, "ready", "A part that the service needs to respond is unavailable.");
      return new Response(recordSent(c, JSON.stringify(readiness)), {
        status: readiness.status === "ready" ? 200 : 503,
        headers: json,
      });
    },
  });
}
