// The parts of a platform that Node, Deno and Bun share, all through Node's process object and modules.

import type { Platform } from "../../../base/index.ts";
import { checkedGet } from "../checked-get.ts";
import { compression } from "../compression.ts";
import { createDns } from "../dns.ts";
import { assetReader, moduleLoader, onDemandLoader } from "../files/dist-files.ts";
import { nodeFiles } from "../files/node-files.ts";
import { notedAddress, notedTarget } from "../server/request-facts.ts";
import { endProcess } from "./exit.ts";
import { fileThreads, instanceName, lowerPriority, usableMemory, usableProcessors } from "./machine.ts";
import { networkAddresses } from "./network.ts";
import { createOutput, type Output } from "./output.ts";
import { createPrompt } from "./prompt.ts";
import { readSecret } from "./secret-input.ts";
import { type ProcessRuntime, startCommands } from "./start-commands.ts";
import { deflate, nativeZlib } from "./zlib.ts";

/** Bytes of the calling thread's objects and buffers, and on Node and Bun of its WebAssembly. */
export function threadMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns the signals to reload and to stop. On Windows SIGHUP says that the window is closed, which ends the
 * process ten seconds later.
 */
export const signalsOf = (system: string): Readonly<Record<"reload" | "stop", readonly NodeJS.Signals[]>> =>
  system === "win32"
    ? { reload: [], stop: ["SIGTERM", "SIGINT", "SIGBREAK", "SIGHUP"] }
    : { reload: ["SIGHUP"], stop: ["SIGTERM", "SIGINT"] };

/** Everything but version, workers and server; `dist` is the directory of the bundle, with a final slash. */
export function processPlatform(dist: URL, name: ProcessRuntime): Omit<Platform, "version"> {
  /** Made when something is written first: looking at a stream opens it. */
  const outputs: { out?: Output; err?: Output } = {};
  const flush = () => outputs.err?.flush();
  const dropped: (() => void)[] = [];
  const errorOutput = () => {
    // Also if an error ends the process.
    for (const event of ["exit", "uncaughtExceptionMonitor"]) process.on(event, flush);
    return createOutput(process.stderr, () => {
      for (const listener of dropped) listener();
    });
  };
  return {
    name,
    env: process.env,
    instance: instanceName(),
    parallelism: usableProcessors(),
    memoryBytes: usableMemory(),
    memoryUsage() {
      const { rss, heapUsed } = process.memoryUsage();
      return { resident: rss, heap: heapUsed };
    },
    wasm: moduleLoader(dist),
    loadWasm: onDemandLoader(dist),
    asset: assetReader(dist),
    deflate,
    zlib: nativeZlib,
    compression,
    clientAddress: notedAddress,
    rawTarget: notedTarget,
    files: nodeFiles(),
    fileThreads: fileThreads(name, process.env),
    sendsPieces: true,
    checkedGet,
    dns: createDns(),
    cwd: process.cwd(),
    networkAddresses: () => networkAddresses(),
    startCommands: startCommands(name, process.argv[1], process.env, process.cwd()),
    onSignal(signal, listener) {
      for (const name of signalsOf(process.platform)[signal]) process.on(name, listener);
    },
    lowerPriority,
    exit(code, options) {
      flush();
      endProcess(name, code, options);
    },
    readSecret,
    prompt: createPrompt,
    write(stream, text, mayWait) {
      if (stream === "out") flush();
      outputs[stream] ??= stream === "out" ? createOutput(process.stdout) : errorOutput();
      outputs[stream].write(text, mayWait);
    },
    writeBytes(bytes) {
      outputs.out ??= createOutput(process.stdout);
      return new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => {
          const isGone = (error as NodeJS.ErrnoException | null | undefined)?.code === "EPIPE";
          if (error && !isGone) reject(error);
          else resolve();
        });
      });
    },
    columns(stream) {
      const { isTTY, columns } = stream === "out" ? process.stdout : process.stderr;
      return isTTY ? columns || 80 : undefined;
    },
    onDropped: (listener) => void dropped.push(listener),
  };
}
