// Runs the operator's file in its own QuickJS instance, whose memory is restored after each call, so that
// calls share nothing.

import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from "quickjs-emscripten-core";
import { HookError, type HookFunction, hookFunctions } from "../hook.ts";
import { guestCode, guestFile, maxLineLength, maxResultLength, pendingMark } from "./guest.ts";
import { takeImage } from "./memory-image.ts";
import type { Failure, PrintLevel, Program } from "./messages.ts";
import { startClock } from "./run-clock.ts";
import { type UnusedExport, unusedTexts } from "./unused-exports.ts";

/** Result of a call. `result` is JSON; neither it nor `failure`: no opinion. */
export interface Outcome {
  readonly result?: string;
  readonly failure?: Failure;
  /** False if the sandbox must not be called again. */
  readonly usable: boolean;
}

export interface Sandbox {
  /** The functions that the file exports. */
  readonly functions: readonly HookFunction[];
  /** Its other exports. */
  readonly unused: readonly UnusedExport[];
  /** Calls a function of the file with JSON input. Never throws. */
  call(name: HookFunction, input: string): Outcome;
  /** Returns the bytes of the instance's memory. */
  size(): number;
}

/** Time limit for evaluating the file, in milliseconds. */
export const loadMs = 2000;
/** C stack of QuickJS in bytes; the module has room for more. */
const stackBytes = 256 * 1024;
const pageBytes = 65_536;
/** Pages that the module takes in addition to the heap: static data and 5 MiB of stack. */
const ownPages = 82;
/** Minimum memory that the module declares. */
const leastPages = 256;
/** Maximum lines that one call may print. */
const maxLines = 20;
/** Warm-up calls: enough for engines to compile what they compile on the way. */
const warmRounds = 30;

/**
 * Runs the file once and keeps its state for all calls. `print` receives its output. Throws HookError if the
 * file does not compile, throws, exports no hook function, or does not finish within {@link loadMs}.
 */
export async function createSandbox(
  module: WebAssembly.Module,
  program: Program,
  print: (level: PrintLevel, text: string) => void,
): Promise<Sandbox> {
  const heapPages = Math.ceil(program.memoryBytes / pageBytes);
  const memory = new WebAssembly.Memory({
    initial: leastPages,
    // QuickJS underestimates the size of its blocks, so this limit is the effective one.
    maximum: Math.max(leastPages, ownPages + heapPages),
  });
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule: module, wasmMemory: memory }),
  );
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(program.memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  const clock = startClock();
  runtime.setInterruptHandler(clock.isOver);

  const printed = { lines: 0, muted: false };
  const context = runtime.newContext();
  clock.limit(loadMs);
  const guest = loadGuest(context, (level, text) => {
    if (printed.muted || ++printed.lines > maxLines + 1) return;
    print(level, printed.lines > maxLines ? "(further lines are left out)" : text);
  });

  const { functions, unused, failure } = load(runtime, context, guest, program);
  if (failure) throw hookError(clock.wasOver() ? lateFailure(loadMs, failure) : failure);

  const image = takeImage(memory);
  const run = (method: QuickJSHandle, name: string, input: string): Outcome => {
    printed.lines = 0;
    clock.limit(program.timeoutMs);
    const outcome = callGuest(runtime, context, guest, { method, name, input, file: program.file });
    const wasOver = clock.wasOver();
    const { failure } = outcome;
    const isSpent = wasOver || failure?.spent === true;
    const usable = image.putBack() && !isSpent;
    return {
      ...(wasOver ? { failure: lateFailure(program.timeoutMs, failure) } : outcome),
      usable,
    };
  };

  printed.muted = true;
  for (let i = 0; i < warmRounds; i++) run(guest.warm, "", warmInput);
  printed.muted = false;

  return {
    functions,
    unused,
    call: (name, input) => run(guest.call, name, input),
    size: () => memory.buffer.byteLength,
  };
}

const warmInput = JSON.stringify({
  identifier: "maps_1859/sheet x 1é.tif",
  page: 1,
  request_path: "/images/maps_1859%2Fsheet%20x",
  headers: { "x-group": "staff" },
});

interface Guest {
  readonly load: QuickJSHandle;
  readonly call: QuickJSHandle;
  readonly settled: QuickJSHandle;
  readonly describe: QuickJSHandle;
  readonly warm: QuickJSHandle;
}

/** Runs our own code inside and returns its functions, which live as long as the instance. */
function loadGuest(context: QuickJSContext, print: (level: PrintLevel, text: string) => void): Guest {
  const host = context.newFunction("print", (level, text) => {
    const line = JSON.parse(context.getString(text)) as string;
    print(context.getString(level) as PrintLevel, line.slice(0, maxLineLength));
  });
  const made = context.evalCode(guestCode, guestFile);
  const called = made.error ? made : context.callFunction(made.value, context.undefined, host);
  if (called.error) throw new Error(ownText(context, called.error, "message"));
  const functions = called.value;
  const getFunction = (name: keyof Guest) => context.getProp(functions, name);
  return {
    load: getFunction("load"),
    call: getFunction("call"),
    settled: getFunction("settled"),
    describe: getFunction("describe"),
    warm: getFunction("warm"),
  };
}

/** Exports of a file, or why it cannot be used. */
interface Loaded {
  readonly functions: readonly HookFunction[];
  readonly unused: readonly UnusedExport[];
  readonly failure?: Failure;
}

/** Runs the operator's file and passes its exports to our code inside. */
function load(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  guest: Guest,
  { source, file }: Program,
): Loaded {
  const refuse = (failure: Failure): Loaded => ({ functions: [], unused: [], failure });
  const describeFailure = (error: QuickJSHandle) => refuse(describe(context, guest, error, file));
  try {
    const run = context.evalCode(source, file, { type: "module", strict: true });
    if (run.error) return describeFailure(run.error);
    runtime.executePendingJobs();
    const state = context.getPromiseState(run.value);
    if (state.type === "rejected") return describeFailure(state.error);
    if (state.type === "pending") return refuse({ message: "the await at its top level is never settled" });
    const names = context.newString(JSON.stringify(hookFunctions));
    const found = context.callFunction(guest.load, context.undefined, state.value, names);
    if (found.error) return describeFailure(found.error);
    const loaded = JSON.parse(context.getString(found.value)) as Omit<Loaded, "failure">;
    if (loaded.functions.length > 0) return loaded;
    const none = `it exports none of the functions ${hookFunctions.join(", ")}`;
    return refuse({ message: [none, ...unusedTexts(loaded.unused)].join("; ") });
  } catch (error) {
    return refuse(failureOfBreak(error));
  }
}

interface GuestCall {
  readonly method: QuickJSHandle;
  readonly name: string;
  readonly input: string;
  readonly file: string;
}

/** Handles are not disposed, since restoring the memory reclaims all of them. */
function callGuest(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  guest: Guest,
  { method, name, input, file }: GuestCall,
): { readonly result?: string; readonly failure?: Failure } {
  try {
    const [a, b, c, d] = crypto.getRandomValues(new Uint32Array(4));
    const text = context.newString(input);
    // A call without a name passes the input only.
    const before = name === "" ? [] : [context.newString(name)];
    const seeds = name === "" ? [] : [a, b, c, d].map((word) => context.newNumber(word ?? 0));
    let done = context.callFunction(method, context.undefined, [...before, text, ...seeds]);
    if (done.error) return { failure: describe(context, guest, done.error, file) };
    let result = context.getString(done.value);
    if (result === pendingMark) {
      const jobs = runtime.executePendingJobs();
      if (jobs.error) return { failure: describe(context, guest, jobs.error, file) };
      done = context.callFunction(guest.settled, context.undefined);
      if (done.error) return { failure: describe(context, guest, done.error, file) };
      result = context.getString(done.value);
    }
    return result === "" ? {} : { result: result.slice(0, maxResultLength) };
  } catch (error) {
    return { failure: failureOfBreak(error) };
  }
}

/** Returns the failure of an error that broke the instance itself: its stack or the host's, or its code. */
function failureOfBreak(error: unknown): Failure {
  const isStack = error instanceof RangeError || /stack/i.test(String(error));
  return {
    message: isStack ? "it ran out of stack" : `QuickJS itself failed: ${String(error)}`,
    spent: true,
  };
}

/** Messages of QuickJS errors after which an instance is discarded. */
const spentBy = /^InternalError: (out of memory|stack overflow|interrupted)/;

/** Describes an error thrown inside, with its position in the operator's file. */
function describe(context: QuickJSContext, guest: Guest, error: QuickJSHandle, file: string): Failure {
  const description = context.callFunction(guest.describe, context.undefined, error);
  // Without memory or time left, our code inside cannot run either.
  const { message, stack } = description.error
    ? {
        message: `InternalError: ${ownText(context, error, "message")}`,
        stack: ownText(context, error, "stack"),
      }
    : (JSON.parse(context.getString(description.value)) as { message: string; stack?: string });
  const position = stack === undefined ? undefined : positionIn(stack, file);
  return {
    message,
    ...(position !== undefined && { position }),
    ...(spentBy.test(message) && { spent: true }),
  };
}

function ownText(context: QuickJSContext, error: QuickJSHandle, key: string): string {
  const value = context.getProp(error, key);
  return context.typeof(value) === "string" ? context.getString(value) : "";
}

/** Returns the innermost position of a stack trace in the operator's file, such as `hooks.js:12:5`. */
function positionIn(stack: string, file: string): string | undefined {
  for (const line of stack.split("\n")) {
    const [, position] = /(?:^\s*at |\()((?:[^()]|\([^()]*\))*:\d+(?::\d+)?)\)?$/.exec(line) ?? [];
    if (position?.startsWith(`${file}:`)) return position;
  }
  return undefined;
}

/** Returns the failure of a run that exceeded its time limit. */
function lateFailure(ms: number, failure: Failure | undefined): Failure {
  const { position } = failure ?? {};
  return {
    message: `it ran longer than its time limit of ${ms} ms`,
    ...(position !== undefined && { position }),
    spent: true,
  };
}

/** Converts a failure to an error. */
export function hookError({ message, position }: Failure): HookError {
  return new HookError(message, position === undefined ? {} : { position });
}
