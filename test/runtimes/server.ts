// Starts one server in a separate directory and stops it again.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../servers/free-port.ts";
import type { Runtime } from "./runtimes.ts";

export interface Started {
  readonly directory: string;
  readonly port: number;
  readonly url: string;
  /** All that it wrote so far. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Changes the configuration file. */
  configure(extra: string): void;
  /** Exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  close(): Promise<void>;
}

/** Fixture pictures that the servers hold, by identifier; each has 600 by 400 pixels. */
export const pictures = [
  "base.png",
  "jpg-baseline-420.jpg",
  "jpg-progressive.jpg",
  "tif-bigtiff-bigendian-tiled.tif",
  "gif-static.gif",
  "webp-lossy.webp",
  "jp2-tiled-128.jp2",
  "htj2k-lossy.j2c",
] as const;

export interface StartOptions {
  /** Only the pictures lie in the directory, and no configuration. */
  readonly bare?: boolean;
  /** Sources besides the pictures in the directory, as YAML list items. */
  readonly sources?: readonly string[];
  /** The members of `cache:`, as YAML in one line. */
  readonly cache?: string;
  /** More of the configuration, as YAML. */
  readonly extra?: string;
  /** Puts more into the folder of the pictures before the server starts. */
  readonly arrange?: (images: string) => void;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server over a few fixtures; resolves when it responds. */
export async function startServer(
  runtime: Runtime,
  {
    bare = false,
    sources = [],
    cache = "{ origin: { backend: heap } }",
    extra = "",
    arrange,
    env = {},
  }: StartOptions = {},
): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), `smalti-${runtime.name}-`));
  const images = join(directory, "images");
  mkdirSync(join(images, "deep"), { recursive: true });
  for (const name of pictures) {
    copyFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)), join(images, name));
  }
  copyFileSync(join(images, "base.png"), join(images, "deep", "base.png"));
  arrange?.(images);
  const port = await freePort();
  const address = runtime.hosted ? "" : `addr: "127.0.0.1:${port}"\n`;
  const items = [`{ name: images, type: filesystem, root: ${runtime.images ?? "./images"} }`, ...sources].map(
    (item) => `  - ${item}\n`,
  );
  const base = `${address}sources:\n${items.join("")}cache: ${cache}\n`;
  // On a busy machine a render may wait for its turn for as long as it takes.
  const patience = (extra: string) => (/^limits:/m.test(extra) ? "" : "limits: { max_wait: 0s }\n");
  const configure = (extra: string) =>
    writeFileSync(join(directory, "config.yaml"), `${base}${patience(extra)}${extra}`);
  if (!bare) configure(extra);

  const place = { directory, port, env };
  const [command = "", ...args] = runtime.command(place);
  const child = spawn(command, args, {
    cwd: runtime.cwd ?? directory,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
    child.once("error", (error) => {
      output += `${error}`;
      resolve(null);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/health`, child, () => output).catch((error: unknown) => {
    runtime.remove?.(place);
    throw error;
  });
  return {
    directory,
    port,
    url,
    output: () => output,
    signal: (name) => void child.kill(name),
    configure,
    ended,
    async close() {
      runtime.remove?.(place);
      child.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answering(url: string, child: ChildProcess, output: () => string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill("SIGKILL");
  throw new Error(`The server did not answer. It wrote:\n${output()}`);
}
