// Caddy on a port of this machine, in a separate folder.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

/** True if Caddy is installed; without it in CI its tests fail instead of being skipped. */
export const hasCaddy = spawnSync("caddy", ["version"]).status === 0 || process.env.CI !== undefined;

export interface Caddy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts Caddy with the sites of a Caddyfile for a port, and waits until it responds. Throws if it ends
 * instead.
 */
export async function startCaddy(sites: (port: number) => string): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-caddy-"));
  const port = await freePort();
  const file = join(folder, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${sites(port)}`);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  let said = "";
  child.stderr.on("data", (part) => {
    said = (said + part).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, maxRetries: 5 });
  };
  const isRunning = () => child.exitCode === null && child.pid !== undefined;
  while (isRunning() && !(await fetch(`${url}/health`).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (isRunning()) return { url, close };
  await close();
  throw new Error(`Caddy ended: ${said}`);
}
