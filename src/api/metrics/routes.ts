// All figures of the service for Prometheus, at /metrics.

import type { Service } from "../../service.ts";
import { sent } from "../http/context.ts";
import type { Routes } from "../http/routes.ts";
import { metricsText, textType } from "./text.ts";

/** Mounts /metrics where `metrics.enabled` says so; else nothing is there. It answers above the caps on requests too. */
export function mountMetrics(routes: Routes, service: Service): void {
  if (!service.config().metrics.enabled) return;
  routes.add({
    path: "/metrics",
    uncapped: true,
    async get(c) {
      const text = metricsText(await service.registry.read());
      return new Response(sent(c, text), {
        headers: {
          "Content-Type": textType,
          "Cache-Control": "no-store",
          "X-Content-Type-Options": "nosniff",
        },
      });
    },
  });
}
