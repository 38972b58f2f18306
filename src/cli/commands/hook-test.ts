// `smalti hook test`: calls one function of the configured hook for one identifier, as a request would.

import { type Log, type LogFields, maskUrls, type Platform, ServiceError } from "../../base/index.ts";
import { checkIdentifier, imageAddress, mainPrefix } from "../../iiif/index.ts";
import {
  buildEngine,
  type Config,
  createHooks,
  createRowNames,
  type HookFunction,
  type Hooks,
  hookFunctions,
  hookRequestOf,
  type OverlayOptions,
  overlaySettingsOf,
} from "../../server/index.ts";
import { command, configFlag } from "./command.ts";
import { inWords } from "./command-error.ts";
import { plainLines } from "./findings-text.ts";
import { readConfig } from "./read-config.ts";

export const hookTest = command({
  name: "hook test",
  summary: "ask the configured hook about an identifier, and print what it says",
  examples: [
    'smalti hook test -config smalti.yaml --identifier ms-12/3 --function authorize --header "X-Group: staff"',
  ],
  json: "what it says, if it failed, and its messages",
  flags: {
    identifier: { kind: "text", value: "ID", required: true, text: "the identifier, with or without a page" },
    function: {
      kind: "text",
      value: "NAME",
      text: "resolve, authorize, presentation or overlay; without it the first that there is",
    },
    header: { kind: "list", value: '"Name: value"', text: "a header of the request" },
    "client-ip": { kind: "text", value: "ADDRESS", text: "address that the request comes from" },
    config: configFlag,
  },
  async run({ platform, flags: { identifier, function: name, header, "client-ip": client, config: file } }) {
    const { config } = await readConfig(platform, { file });
    const question = {
      identifier,
      headers: header,
      ...(name !== undefined && { function: name }),
      ...(client !== undefined && { client }),
    };
    const { said, err, failed } = await inWords(testHook(config, platform, question));
    const messages = err.map(maskUrls);
    for (const line of messages) platform.write?.("err", `smalti: ${plainLines(line)}\n`);
    const text = said === undefined ? "" : `${JSON.stringify(said, null, 2)}\n`;
    return { text, data: { ...said, failed, messages }, failed };
  },
});

export interface HookQuestion {
  /** With or without a page suffix. */
  readonly identifier: string;
  /** Default: the first function that the hook has. */
  readonly function?: string;
  /** `Name: value`. */
  readonly headers: readonly string[];
  readonly client?: string;
}

export interface HookVerdict {
  /** What the function returned, and the milliseconds that it took; undefined if the hook failed. */
  readonly said?: { readonly function: HookFunction; readonly answer: unknown; readonly ms: number };
  /** Lines for the operator: why it failed, what it printed, which facts it did not receive. */
  readonly err: readonly string[];
  readonly failed: boolean;
}

/** Throws an Error that says what to do if the hook cannot be called or built. */
export async function testHook(
  { hook, sources, overlay }: Config,
  platform: Platform,
  question: HookQuestion,
): Promise<HookVerdict> {
  const err: string[] = [];
  const print = (message: string, fields: LogFields = {}) =>
    void err.push(message === "a hook failed" ? failureLine(fields) : `${message}${fieldsText(fields)}`);
  const log: Log = { debug: print, info: print, warn: print, error: print, level() {} };
  const headers = readHeaders(question.headers);
  for (const name of headers.keys())
    if (!hook.headers.some((seen) => seen.toLowerCase() === name))
      err.push(`warning: the hook does not see the header ${name}; name it in hook.headers`);
  if (question.client !== undefined && !hook.client_ip)
    err.push("warning: the hook does not see the address of the client; set hook.client_ip");
  const engine = await buildEngine(
    hook,
    platform,
    log,
    createRowNames(() => []),
  );
  if (!engine) throw new Error("hook.engine is noop, which is never asked; choose another engine");
  try {
    const names = sources.length > 0 ? sources.map(({ name }) => name) : ["sample"];
    const hooks = createHooks({ engine, options: hook, log, sources: names });
    const name = functionOf(hooks, question.function);
    const began = performance.now();
    try {
      const result = await ask(hooks, name, question, headers);
      if (name === "overlay") checkOverlay(hooks, question.identifier, result, overlay);
      const ms = Math.round((performance.now() - began) * 100) / 100;
      return { said: { function: name, answer: result ?? null, ms }, err, failed: false };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "hook") throw error;
      return { err: [...err, `it took ${Math.round(performance.now() - began)} ms`], failed: true };
    }
  } finally {
    await engine.close();
  }
}

function functionOf(hooks: Hooks, wanted: string | undefined): HookFunction {
  const own = hookFunctions.filter((name) => hooks.has(name));
  const found = wanted === undefined ? own[0] : own.find((name) => name === wanted);
  if (!found)
    throw new Error(
      `the hook has no function${wanted === undefined ? "" : ` ${wanted}`}; it has ${own.join(", ") || "none"}`,
    );
  return found;
}

function ask(
  hooks: Hooks,
  name: HookFunction,
  { identifier: written, client }: HookQuestion,
  headers: ReadonlyMap<string, string>,
): Promise<unknown> | undefined {
  const identifier = checkIdentifier(written);
  if (name === "presentation")
    return hooks.presentation({ id: identifier, kind: "manifest", descriptor: {} });
  // Only images have overlays.
  const rest = name === "overlay" ? "full/max/0/default.jpg" : "info.json";
  const path = `${imageAddress(mainPrefix[3], identifier)}/${rest}`;
  return hooks[name](
    hookRequestOf({ identifier, path, client, header: (name) => headers.get(name.toLowerCase()) }),
  );
}

/** Throws `hook` for settings that would fail a request. The overlay image is not checked. */
function checkOverlay(hooks: Hooks, identifier: string, result: unknown, options: OverlayOptions): void {
  if (result === undefined) return;
  try {
    overlaySettingsOf(result, options);
  } catch (error) {
    throw hooks.unusable("overlay", identifier, (error as Error).message);
  }
}

/** Returns headers by lower-case name. */
function readHeaders(written: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    written.map((line) => {
      const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/s.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new Error(`expected a header as "Name: value", received ${line}`);
      return [name.toLowerCase(), value];
    }),
  );
}

function failureLine({ function: name, position, error }: LogFields): string {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the function ${name} failed${position === undefined ? "" : ` at ${position}`}: ${reason}`;
}

const fieldsText = (fields: LogFields) =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
