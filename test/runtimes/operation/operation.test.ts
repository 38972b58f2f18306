// What operators see and change on every runtime. One server has all of it; each part leaves it as the next
// ones need it.

import { afterAll } from "vitest";
import { operator } from "../../admin/operator.ts";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";
import { testAdminPages } from "./admin-pages.ts";
import { testChecks } from "./checks.ts";
import { testConfiguration } from "./configuration.ts";
import { testDashboard } from "./dashboard.ts";
import { testMetrics } from "./metrics.ts";

/** Metrics count from the start of the server, and the dashboard ends it. */
const parts = [testMetrics, testChecks, testAdminPages, testConfiguration, testDashboard];

const servers: Promise<Started>[] = [];
afterAll(() => Promise.all(servers.map(async (server) => (await server).close())));

for (const runtime of runtimesFor("operation")) {
  let server: Promise<Started> | undefined;
  const start = () => {
    if (!server) {
      server = startServer(runtime, {
        env: operator,
        // Nobody listens on port 1.
        sources: ['{ name: far, prefix: far/, type: http, url: "http://127.0.0.1:1/{identifier}" }'],
        // A stop waits half of shutdown_timeout for responses that do not end: longer than a test may take.
        extra: "# of the library\nlog: { level: warn }\nmetrics: { enabled: true }\nshutdown_timeout: 1h\n",
      });
      servers.push(server);
    }
    return server;
  };
  for (const part of parts) part(runtime, start);
}
