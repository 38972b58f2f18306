// A file of hooks that misbehave, by the name they are called with; and the expected results.

/** Acts by name: the first lines of a file of hooks. */
export const hostileActs = `
let calls = 0;
const acts = {
  count: () => ({ calls: ++calls }),
  state: () => {
    const before = [globalThis.left, {}.polluted, [].map.name, typeof structuredClone, calls];
    globalThis.left = "left";
    Object.prototype.polluted = "polluted";
    Array.prototype.map = function replaced() {};
    calls++;
    return { before };
  },
  random: () => ({ numbers: Array.from({ length: 8 }, () => Math["random"]()) }),
  globals: () => ({ names: Object.getOwnPropertyNames(globalThis) }),
  loop: () => { for (;;); },
  "loop in catch": () => { for (;;) try { for (;;); } catch {} },
  "loop in finally": () => { try { for (;;); } finally { return {}; } },
  regex: () => /^(a+)+$/.test("a".repeat(40) + "b"),
  "loop of promises": async () => { for (;;) await null; },
  "promises without end": () => { const again = () => Promise.resolve().then(again); return again(); },
  "bytes without end": () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); },
  "text without end": () => { let text = "x"; for (;;) text += text + "y"; },
  "one large buffer": () => new ArrayBuffer(1 << 30),
  recursion: () => { const again = () => again() + 1; return again(); },
  "deep JSON": () => JSON.parse("[".repeat(100_000)),
  "deep getters": () => { const deep = { get deep() { return deep.deep; } }; return deep; },
  thrown: () => {
    throw new RangeError("thrown on purpose");
  },
  "thrown later": async () => {
    await null;
    throw new RangeError("thrown on purpose");
  },
  "thrown text": () => { throw "only text"; },
  "thrown trap": () => { throw new Proxy({}, { get() { throw new Error("trap"); }, getPrototypeOf() { throw new Error("trap"); } }); },
  "thrown nothing": () => { throw undefined; },
  "never settled": () => new Promise(() => {}),
  "import": () => import("node:fs"),
  "a function": () => () => {},
  "a symbol": () => Symbol("x"),
  "not a number": () => NaN,
  "a large integer": () => 1n,
  "a circle": () => { const circle = {}; circle.self = circle; return circle; },
  "an unwilling toJSON": () => ({ toJSON() { throw new Error("toJSON says no"); } }),
  "a toJSON of nothing": () => ({ toJSON() { return undefined; } }),
  "a long answer": () => "x".repeat(5 << 20),
  "a getter": () => ({ get key() { return "from a getter"; } }),
  "a toJSON": () => ({ key: "not this", toJSON() { return { key: "from toJSON" }; } }),
  proto: () => JSON.parse('{"key":"k","__proto__":{"admin":true},"list":[{"__proto__":1}]}'),
  nothing: () => undefined,
  "null": () => null,
  "later": async () => { await null; return { key: "later" }; },
  "a long built-in": () => "a".repeat(200_000).indexOf("a".repeat(100_000) + "b"),
  print: () => { for (let i = 0; i < 100; i++) console.log("line", i, "x".repeat(5000)); console.error({ a: [1] }, new TypeError("seen")); return {}; },
  "print levels": () => { console.error("one\\ntwo", { a: [1] }); console.warn(undefined, null, Symbol("s"), 2n); console.debug(() => {}); return {}; },
};
`;

/** Every function of it does what its input's `identifier` (or `id`) names. */
export const hostileSource = `${hostileActs}
const act = ({ identifier, id }) => acts[identifier ?? id]();
export const resolve = act;
export function authorize(input) { return act(input); }
export const presentation = (input) => act(input);
export async function overlay(input) { return act(input); }
`;

/** Returns the line of the source that contains a text, from 1. */
export const lineOf = (text: string): number =>
  hostileSource.slice(0, hostileSource.indexOf(text)).split("\n").length;

const timeUp = /^it ran longer than its time limit of \d+ ms/;

/** The failure of each act, and its line. */
export const failures: readonly (readonly [act: string, message: RegExp, line?: number])[] = [
  ["loop", timeUp, lineOf("loop: ()")],
  ["loop in catch", timeUp, lineOf('"loop in catch"')],
  ["loop in finally", timeUp, lineOf('"loop in finally"')],
  ["regex", timeUp, lineOf("regex: ()")],
  ["loop of promises", timeUp],
  ["promises without end", /^it ran longer|memory|never settled/],
  ["bytes without end", /^InternalError: out of memory/],
  ["text without end", /^(InternalError: (out of memory|string too long)|RangeError: invalid string length)/],
  ["one large buffer", /^(InternalError: out of memory|RangeError: invalid array buffer length)/],
  ["recursion", /^(InternalError: stack overflow|it ran out of stack)/],
  ["deep JSON", /^(InternalError: stack overflow|it ran out of stack|SyntaxError: )/],
  ["deep getters", /^(InternalError: stack overflow|it ran out of stack)/],
  ["thrown", /^RangeError: thrown on purpose$/, lineOf('throw new RangeError("thrown')],
  ["thrown later", /^RangeError: thrown on purpose$/, lineOf("await null;\n    throw") + 1],
  ["thrown text", /^a value of type string was thrown: only text$/],
  ["thrown trap", /./],
  ["thrown nothing", /^a value of type undefined was thrown/],
  ["never settled", /is never settled/],
  ["import", /./],
  ["a function", /is of type function and JSON cannot hold/],
  ["a symbol", /is of type symbol and JSON cannot hold/],
  ["not a number", /is of type number and JSON cannot hold/],
  ["a large integer", /^TypeError: /],
  ["a circle", /^TypeError: circular reference/],
  ["an unwilling toJSON", /^Error: toJSON says no$/, lineOf('"an unwilling toJSON"')],
  ["a toJSON of nothing", /JSON cannot hold/],
  ["a long answer", /^RangeError: the answer is longer than/],
];

/** The result of each act. */
export const answers: readonly (readonly [act: string, answer: unknown])[] = [
  ["a getter", { key: "from a getter" }],
  ["a toJSON", { key: "from toJSON" }],
  ["proto", { key: "k", list: [{}] }],
  ["nothing", undefined],
  ["null", undefined],
  ["later", { key: "later" }],
];

/** Globals besides ECMAScript: only `console`. */
export const globalNames = [
  // ECMA-262, 16th edition, section 19; `escape` and `unescape` of its annex B
  ..."globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent".split(
    " ",
  ),
  ..."encodeURI encodeURIComponent AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array".split(
    " ",
  ),
  ..."Boolean DataView Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array".split(
    " ",
  ),
  ..."Function Int8Array Int16Array Int32Array Iterator Map Number Object Promise Proxy RangeError".split(
    " ",
  ),
  ..."ReferenceError RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError Uint8Array".split(" "),
  ..."Uint8ClampedArray Uint16Array Uint32Array URIError WeakMap WeakRef WeakSet Atomics JSON Math Reflect".split(
    " ",
  ),
  "escape",
  "unescape",
  // the class of the engine's own errors
  "InternalError",
  "console",
];
