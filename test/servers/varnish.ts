// Debian's Varnish on a port of this machine, in a separate folder.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

/** True if Varnish is installed; without it in CI its tests fail instead of being skipped. */
export const hasVarnish = spawnSync("varnishd", ["-V"]).status === 0 || process.env.CI !== undefined;

/** True if Varnish can count requests too, which the example of limits needs. */
export const hasThrottle =
  spawnSync("sh", ["-c", "ls /usr/lib/*/varnish/vmods/libvmod_vsthrottle.so"]).status === 0 ||
  process.env.CI !== undefined;

export interface Varnish {
  readonly url: string;
  /** A port that expects the PROXY protocol. */
  readonly proxied: number;
  close(): Promise<void>;
}

const read = (name: string) => readFileSync(new URL(`../../deploy/proxy/${name}`, import.meta.url), "utf8");

const example = read("varnish.vcl");
/** The example of limits for crawlers, which is appended to the other one. */
export const exampleLimits = read("varnish-limits.vcl");

/** Settings of the program that the example names. */
const exampleSettings = [...example.matchAll(/-p (\S+=\S+)/g)].flatMap(([, setting]) => [
  "-p",
  setting as string,
]);

/** Returns the example of deploy/proxy/, in front of a service on a port of this machine. */
export function exampleVcl(service: number, network = "10.0.0.0/8"): string {
  const replaced = (text: string, from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`expected ${from} in deploy/proxy/varnish.vcl`);
    return text.replace(from, to);
  };
  const [address = "", bits = ""] = network.split("/");
  return replaced(
    replaced(example, '.port = "8080"', `.port = "${service}"`),
    '"10.0.0.0"/8',
    `"${address}"/${bits}`,
  );
}

/**
 * Starts Varnish in front of a service, with a configuration or the built-in one, and waits until it
 * responds. Throws if it ends instead.
 */
export async function startVarnish(
  of: { readonly service: number } | { readonly vcl: string },
): Promise<Varnish> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-varnish-"));
  const [port, proxied] = [await freePort(), await freePort()];
  const file = join(folder, "example.vcl");
  if ("vcl" in of) writeFileSync(file, of.vcl);
  // Without a jail, which would need a user of its own, and with memory for little.
  const child = spawn(
    "varnishd",
    [
      ...["-F", "-j", "none", "-n", join(folder, "work"), "-a", `127.0.0.1:${port}`],
      ...["-a", `127.0.0.1:${proxied},PROXY`],
      ...["-s", "malloc,32m", "-T", "none", "-p", "vsl_space=1M", "-p", "thread_pool_min=10"],
      ...("vcl" in of ? ["-f", file, ...exampleSettings] : ["-b", `127.0.0.1:${of.service}`]),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      said = (said + part).slice(-4000);
    });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    // The process that serves is a child of this one, which ends it.
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const isRunning = () => child.exitCode === null && child.pid !== undefined;
  while (isRunning() && !(await fetch(`${url}/health`).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (isRunning()) return { url, proxied, close };
  await close();
  throw new Error(`Varnish ended: ${said}`);
}
