// Debian's nginx on a port of this machine, in a separate folder.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

const program = ["/usr/sbin/nginx", "nginx"].find((name) =>
  name.startsWith("/") ? existsSync(name) : spawnSync("sh", ["-c", `command -v ${name}`]).status === 0,
);

/** True if nginx is installed; without it in CI its tests fail instead of being skipped. */
export const hasNginx = program !== undefined || process.env.CI !== undefined;

export interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

export interface NginxOptions {
  /** Any free one otherwise. */
  readonly port?: number;
  /**
   * Returns the contents of its block `server`; `folder` contains its files. There is a cache with the name
   * `all`.
   */
  readonly server?: (folder: string) => string;
  /** Returns the contents of its block `http` instead of that one server. */
  readonly http?: (folder: string, port: number) => string;
  /** Files in its folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const example = (name: string) =>
  readFileSync(new URL(`../../deploy/proxy/${name}`, import.meta.url), "utf8");

/**
 * Returns the example of deploy/proxy/ for the block `http`, with addresses of this machine: its own port,
 * the ports of the replicas, the operator's network and a folder for its cache.
 */
export function exampleSite(of: {
  readonly folder: string;
  readonly port: number;
  readonly replicas?: readonly number[];
  readonly network?: string;
  /** True with the example of limits for crawlers. */
  readonly limits?: boolean;
}): string {
  const { folder, port, replicas = [8080], network = "10.0.0.0/8", limits = false } = of;
  const replaced = (text: string, from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`expected ${from} in deploy/proxy/`);
    return text.replace(from, to);
  };
  let site = example("nginx-site.conf").replace(/^ *server 127\.0\.0\.1:8080 (.+)$/gm, (_, options) =>
    replicas.map((each) => `server 127.0.0.1:${each} ${options}`).join("\n"),
  );
  site = replaced(site, "/var/cache/smalti-nginx", `${folder}/cache`);
  site = replaced(site, "10.0.0.0/8", network);
  const server = replaced(example("nginx.conf"), "listen [::]:80;", "");
  if (limits) site += example("nginx-limits.conf");
  return site + replaced(server, "listen 80;", `listen 127.0.0.1:${port};`);
}

const oneServer = (
  folder: string,
  port: number,
  lines: string,
) => `proxy_cache_path ${folder}/cache keys_zone=all:1m;
  server {
    listen 127.0.0.1:${port};
    ${lines}
  }`;

/** Starts nginx, and waits until it responds. Throws if it ends instead. */
export async function startNginx({ port, server, http, files = {} }: NginxOptions): Promise<Nginx> {
  if (!program) throw new Error("nginx is not installed (Debian package nginx-light)");
  const folder = mkdtempSync(join(tmpdir(), "smalti-nginx-"));
  const listening = port ?? (await freePort());
  mkdirSync(join(folder, "cache"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  ${http ? http(folder, listening) : oneServer(folder, listening, server?.(folder) ?? "")}
}
`,
  );
  const child = spawn(program, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${listening}`;
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, maxRetries: 5 });
  };
  while (child.exitCode === null && !(await fetch(`${url}/health`).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (child.exitCode === null) return { url, close };
  await close();
  throw new Error(`nginx ended with exit code ${child.exitCode}`);
}
