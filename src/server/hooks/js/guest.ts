// The first code that runs inside QuickJS, before the operator's file: the entry point for the host, and the
// console.

/** Maximum characters of a line that a hook prints. */
export const maxLineLength = 1000;
/** Longest result as JSON, in characters. */
export const maxResultLength = 4 * 2 ** 20;
/** Returned by `call` if the hook returned a promise. No JSON text begins with it. */
export const pendingMark = "~";

/** Maximum of exports that are reported because they are never called. */
const maxUnused = 20;

/** Name of this code in stack traces. */
export const guestFile = "<smalti>";

/**
 * A function that takes `print(level, text)` and returns the functions that the host calls. It saves the
 * built-ins that it uses, since the operator's file may replace them.
 */
export const guestCode = `(function (print) {
"use strict";
const { Error, JSON, Math, Object, Promise, RangeError, Reflect, String, TypeError } = globalThis;
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { keys } = Object;
const { slice } = String.prototype;
const { then } = Promise.prototype;
const short = (text) => apply(slice, text, [0, ${maxLineLength}]);

// sfc32: four words of state, of which the host draws the first values for each call.
let a = 0, b = 0, c = 0, d = 0;
const word = () => {
  const sum = (a + b + d) | 0;
  d = (d + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = ((c << 21) | (c >>> 11)) + sum | 0;
  return sum >>> 0;
};
const hidden = (value) => ({ value, writable: true, enumerable: false, configurable: true });
Object.defineProperty(Math, "random", hidden({
  random: () => ((word() >>> 5) * 0x4000000 + (word() >>> 6)) / 0x20000000000000,
}.random));

const shown = (value) => {
  if (typeof value === "string") return short(value);
  if (value instanceof Error) return short(String(value.stack ? value + "\\n" + value.stack : value));
  if (typeof value === "object" && value !== null) {
    try {
      return short(stringify(value) ?? "undefined");
    } catch {
      return "[object]";
    }
  }
  return short(String(value));
};
const at = (level) => (...values) => {
  let text = "";
  for (let i = 0; i < values.length && text.length < ${maxLineLength}; i++)
    text += (i > 0 ? " " : "") + shown(values[i]);
  print(level, stringify(short(text)));
};
const info = at("info"), debug = at("debug");
const console = { log: info, info, debug, trace: debug, warn: at("warn"), error: at("error") };
Object.defineProperty(globalThis, "console", hidden(console));

const textOf = (value) => {
  if (value === undefined || value === null) return "";
  const text = stringify(value);
  if (text === undefined || text === "null")
    throw new TypeError("the answer is of type " + typeof value + " and JSON cannot hold it; return an object, or nothing");
  if (text.length > ${maxResultLength})
    throw new RangeError("the answer is longer than ${maxResultLength} characters of JSON");
  return text;
};

const functionsIn = (value, names) => {
  const found = [];
  if (typeof value !== "object" || value === null) return found;
  for (const name of names) {
    try {
      if (typeof value[name] === "function") found[found.length] = name;
    } catch {
      // A getter that throws is no function.
    }
  }
  return found;
};

let hooks;
let outcome;
return {
  /** Which of the names the module exports as functions, and what else it exports, as JSON. */
  load(exported, names) {
    hooks = exported;
    const found = [], unused = [], known = parse(names);
    for (const name of known) {
      const value = exported[name];
      if (value === undefined) continue;
      if (typeof value !== "function")
        throw new TypeError("the export " + name + " is of type " + typeof value + "; make it a function");
      found[found.length] = name;
    }
    for (const name of keys(exported)) {
      let isKnown = false;
      for (const each of known) if (each === name) isKnown = true;
      if (isKnown || unused.length === ${maxUnused}) continue;
      const value = exported[name];
      unused[unused.length] = { name: short(name), type: typeof value, members: functionsIn(value, known) };
    }
    return stringify({ functions: found, unused });
  },
  /** The answer as JSON; empty for no opinion; the mark where it is still to come. */
  call(name, input, first, second, third, fourth) {
    a = first; b = second; c = third; d = fourth;
    const { [name]: hook } = hooks;
    const value = hook(parse(input));
    if (!(value instanceof Promise)) return textOf(value);
    outcome = undefined;
    const text = apply(then, value, [textOf]);
    apply(then, text, [(text) => { outcome = { text }; }, (error) => { outcome = { error }; }]);
    return "${pendingMark}";
  },
  /** The answer that was still to come, once all jobs have run. */
  settled() {
    if (outcome === undefined)
      throw new Error("the promise that it returned is never settled: there is nothing outside to wait for");
    if ("error" in outcome) throw outcome.error;
    return outcome.text;
  },
  /** What was thrown, as JSON. */
  describe(error) {
    if (error === null) return stringify({ message: "null was thrown, or memory ran out" });
    if (!(error instanceof Error))
      return stringify({ message: "a value of type " + typeof error + " was thrown: " + shown(error) });
    const { name, message, stack } = error;
    return stringify({ message: short(String(name) + ": " + String(message)), stack: String(stack) });
  },
  /** Takes the ways that hooks take, so that none of them is slow the first time. */
  warm(input) {
    const { identifier, headers } = parse(input);
    const parts = identifier.split("/").map((part) => decodeURIComponent(encodeURIComponent(part)));
    const found = /^(\\w+)[-_](\\d{4})/.exec(parts[0])?.slice(1) ?? [];
    const seen = new Map([...parts, ...found].map((part, i) => [part, { i, ...headers }]));
    const now = new Date(Date.parse("2026-01-01T00:00:00Z") + 1000 * Math.floor(Math.random() * 10));
    try {
      throw new TypeError(\`none of \${[...seen.keys()].sort().join()}\`);
    } catch (error) {
      return textOf({ key: parts.reverse().join("/").replace(/x/gu, "y"), at: now.toISOString(), why: error.message });
    }
  },
};
})`;
