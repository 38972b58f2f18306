// The engine `js`: the operator's file, run in QuickJS, isolated from the service and each call from the
// others.

import {
  type Finding,
  findingLine,
  type Log,
  type Platform,
  parseDuration,
  parseJson,
  parseSize,
  watchFile,
} from "../../../base/index.ts";
import { type HookEngine, HookError } from "../hook.ts";
import { type Crew, startCrew } from "./crew.ts";
import type { HookWorkerOptions } from "./hook-worker.ts";
import type { PrintLevel, Program } from "./messages.ts";
import type { JsOptions } from "./options.ts";
import { createSandbox, hookError, type Sandbox } from "./sandbox.ts";
import { unusedTexts } from "./unused-exports.ts";

/** Milliseconds that a changed file has to stay unchanged: a half-written file may compile. */
const settleMs = 100;

const key = "hook.js.file";

const doubtsOf = ({ unused }: Crew): readonly Finding[] =>
  unusedTexts(unused).map((text) => ({ level: "note", where: key, text }));

/**
 * Loads the file and starts its workers. Throws an Error that names the key if the file cannot be read, does
 * not compile or exports no hook function.
 */
export async function createJsEngine(
  options: JsOptions,
  platform: Pick<Platform, "files" | "wasm" | "startWorker" | "keepAlive">,
  log: Pick<Log, PrintLevel>,
): Promise<HookEngine> {
  const { file: path } = options;
  if (path === "") throw new Error(`${key}: expected the name of a file, such as ./hooks.js`);
  const file = path.replace(/^.*[/\\]/s, "");
  const limits = { timeoutMs: parseDuration(options.timeout), memoryBytes: parseSize(options.memory) };
  const print = (level: PrintLevel, text: string) => log[level]("a hook printed", { hook: "js", text });

  let crew: Crew | undefined;

  const start = async (bytes: Uint8Array): Promise<Crew> => {
    const program: Program = { source: new TextDecoder().decode(bytes), file, ...limits };
    const module = platform.wasm("quickjs");
    const { startWorker } = platform;
    try {
      return await (startWorker
        ? startCrew(program, { module, startWorker: () => startWorker("hook-thread"), print, log })
        : runInPlace(program, { module, print }));
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      throw new HookError(
        error.position === undefined ? error.message : `${error.position}: ${error.message}`,
      );
    }
  };

  const watched = await watchFile({
    path,
    files: platform.files,
    log,
    of: "hook",
    key,
    async read(bytes) {
      if (crew && !(await isSettled(bytes))) throw new Error("the file was written to while it was read");
      const before = crew;
      crew = await start(bytes);
      for (const doubt of doubtsOf(crew)) log.warn(findingLine(doubt));
      before?.retire();
      return crew;
    },
  });
  const isSettled = async (bytes: Uint8Array) => {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const again = await platform.files?.readFile(path);
    return again?.length === bytes.length && again.every((byte, i) => byte === bytes[i]);
  };

  /** Looks for a change in parallel to the request. */
  const look = () => {
    const looking = watched.refresh();
    if (looking) platform.keepAlive?.(looking);
    return looking;
  };

  return {
    name: "js",
    has(name) {
      const { functions } = watched.current();
      if (!functions.has(name)) void look(); // detects a new function although none is called
      return functions.has(name);
    },
    async call(name, input, signal) {
      const looking = look();
      if (looking) await looking;
      const program = watched.current();
      if (!program.functions.has(name)) return undefined;
      const result = await program.call(name, JSON.stringify(input), signal);
      return result === undefined ? undefined : parseResult(result);
    },
    doubts: () => doubtsOf(watched.current()),
    async check() {
      await look();
      const problem = watched.problem();
      if (problem !== undefined) throw new HookError(problem);
    },
    async close() {
      crew?.close();
    },
  };
}

function parseResult(json: string): unknown {
  try {
    return parseJson(json, { withoutPrototypes: true });
  } catch (error) {
    throw new HookError(`the result of the hook: ${(error as Error).message}`);
  }
}

/**
 * Loads the program for the calling thread, if the platform has no workers: a slow built-in function cannot
 * be interrupted there. Throws HookError if the program is rejected.
 */
async function runInPlace(
  program: Program,
  { module, print }: Pick<HookWorkerOptions, "module" | "print">,
): Promise<Crew> {
  const load = () => createSandbox(module, program, print);
  let sandbox: Sandbox | undefined = await load();
  const functions = new Set(sandbox.functions);

  return {
    functions,
    unused: sandbox.unused,
    async call(name, input, signal) {
      // Several calls may load one; the last one that is ready stays.
      sandbox ??= await load();
      const own = sandbox;
      signal?.throwIfAborted();
      const { result, failure, usable } = own.call(name, input);
      if (!usable && sandbox === own) sandbox = undefined;
      if (failure) throw hookError(failure);
      return result;
    },
    retire() {},
    close() {
      sandbox = undefined;
    },
  };
}
