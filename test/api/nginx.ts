// A caching nginx of Debian's in front of a service, in a folder of its own.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Served } from "../served.ts";
import { freePort } from "../servers/redis.ts";

export const nginxProgram = ["/usr/sbin/nginx", "nginx"].find((name) =>
  name.startsWith("/") ? existsSync(name) : spawnSync("sh", ["-c", `command -v ${name}`]).status === 0,
);

/** Whether there is one; without it in CI its tests fail instead of being skipped. */
export const hasNginx = nginxProgram !== undefined || process.env.CI !== undefined;

export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `app` through a proxy that keeps whatever it may, for as long as it may, and says in `X-Proxy` whether an answer came
 * from its cache (HIT) or not.
 */
export async function startNginx(app: Served): Promise<Proxy> {
  if (!nginxProgram) throw new Error("nginx is not installed (Debian package nginx-light)");
  const folder = mkdtempSync(join(tmpdir(), "smalti-nginx-"));
  const origin = createServer(async (request, response) => {
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const answer = await app.get(request.url ?? "/", { method: request.method ?? "GET", headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
  const port = await freePort();
  mkdirSync(join(folder, "cache"));
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  proxy_cache_path ${folder}/cache keys_zone=all:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${(origin.address() as AddressInfo).port};
      proxy_cache all;
      proxy_cache_key $request_uri;
      proxy_cache_lock on;
      proxy_cache_revalidate on;
      add_header X-Proxy $upstream_cache_status always;
    }
  }
}
`,
  );
  const child = spawn(nginxProgram, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await fetch(`${url}/health`).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (child.exitCode !== null) throw new Error(`nginx ended with exit code ${child.exitCode}`);
  return {
    url,
    async close() {
      child.kill("SIGKILL");
      await ended;
      origin.closeAllConnections();
      await new Promise((resolve) => origin.close(resolve));
      rmSync(folder, { recursive: true, maxRetries: 5 });
    },
  };
}
