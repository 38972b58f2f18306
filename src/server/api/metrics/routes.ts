// All figures of the service for Prometheus, at /metrics.

import type { Service } from "../../service.ts";
import { sendText } from "../http/representation/send.ts";
import type { Routes } from "../http/routes.ts";
import { metricsText, textType } from "./text.ts";

/**
 * Mounts /metrics if `metrics.enabled` is set; otherwise mounts nothing. The caps on requests do not apply to
 * it.
 */
export function mountMetrics(routes: Routes, service: Service): void {
  if (!service.config().metrics.enabled) return;
  routes.add({
    path: "/metrics",
    uncapped: true,
    async get(c) {
      const text = metricsText(await service.registry.read());
      return sendText(c, text, { type: textType, headers: { "Cache-Control": "no-store" } });
    },
  });
}
