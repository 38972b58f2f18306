// Errors of arguments and of the protocol in plain sentences: what was expected, what was received, what to
// do. The packages of the protocol send what their validator prints.

import { objectOf, textOf } from "../../../iiif/index.ts";

/** A fault as validators report it. */
interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
  readonly message: string;
  readonly code?: string | undefined;
  readonly expected?: unknown;
  readonly values?: readonly unknown[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly maximum?: unknown;
  readonly minimum?: unknown;
}

/** Characters of the longest response that is an error. */
const maxText = 100_000;
/** Longest value that a message repeats, in characters. */
const maxLength = 60;

/** Describes the first fault of a value, such as `Expected text as id; received a number.` */
export function faultText(issues: readonly Issue[], value: unknown, known: readonly string[] = []): string {
  const [issue] = issues;
  if (!issue) return "Expected another value.";
  const { path = [], code, keys } = issue;
  if (code === "unrecognized_keys" && keys) {
    const choice = known.length > 0 ? ` ${oneOf(known)}` : " known names";
    return `Expected${choice}; received ${quote(keys[0] ?? "")}.`;
  }
  const member = path.length > 0 ? ` as ${path.map(String).join(".")}` : "";
  return `Expected ${expectationOf(issue)}${member}; received ${receivedText(valueAt(value, path))}.`;
}

const names: Readonly<Record<string, string>> = {
  string: "text",
  record: "keys and values",
  object: "keys and values",
  array: "a list",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};

function expectationOf({ code, expected, values, maximum, minimum }: Issue): string {
  if (code === "invalid_value" && values) return oneOf(values.map(String));
  if (code === "too_big") return `at most ${String(maximum)} characters`;
  if (code === "too_small") return `at least ${String(minimum)} characters`;
  if (typeof expected === "string") return names[expected] ?? expected;
  return code === "invalid_union" ? "text or a number" : "another value";
}

const oneOf = (texts: readonly string[]) =>
  texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : (texts[0] ?? "");

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((held, key) => (Object(held) as Record<PropertyKey, unknown>)[key], value);

function receivedText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "keys and values";
  if (typeof value === "string")
    return value.length > maxLength ? `${value.length} characters` : quote(value);
  return String(value);
}

const quote = (text: string) => JSON.stringify(text.slice(0, maxLength));

/** Returns a response of the protocol with its error in a plain sentence; any other text unchanged. */
export function plainResponse(text: string, message: unknown, tools: readonly string[]): string {
  // Only results are long.
  const document = text.length > maxText ? undefined : parseJson(text);
  const error = objectOf(objectOf(document)?.error);
  const said = textOf(error?.message);
  if (!error || said === undefined) return text;
  const issues = issuesIn(said);
  // Faults of a message are no faults of the server (JSON-RPC 2.0, section 5.1).
  const code = issues && error.code === internalError ? invalidParams : error.code;
  const plain = issues
    ? `${faultText(issues, message)} Correct the message and send it again.`
    : (sayings.find(([form]) => form.test(said))?.[1](said, { message, tools }) ?? said);
  return JSON.stringify({ ...objectOf(document), error: { ...error, code, message: plain } });
}

const internalError = -32603;
const invalidParams = -32602;

/** Returns the faults that a validator printed into a message; undefined if there are none. */
function issuesIn(said: string): readonly Issue[] | undefined {
  const start = said.search(/\[\s*\{/);
  const issues = start < 0 ? undefined : parseJson(said.slice(start));
  return Array.isArray(issues) ? (issues as Issue[]) : undefined;
}

interface Around {
  readonly message: unknown;
  readonly tools: readonly string[];
}

/** Messages of the packages, and what is said instead. */
const sayings: readonly (readonly [form: RegExp, say: (said: string, around: Around) => string])[] = [
  [
    /^Tool .* not found$/s,
    (_, { message, tools }) =>
      `Expected the name of a tool, ${oneOf(tools)}; received ${receivedText(valueAt(message, ["params", "name"]))}. Choose one of these.`,
  ],
  [
    /^Method not found/,
    (_, { message }) =>
      `Expected a method for tools, such as tools/list or tools/call; received ${receivedText(valueAt(message, ["method"]))}. This server has tools and resources, but no prompts.`,
  ],
  [
    /not a valid JSON-RPC message/,
    () =>
      'Expected a JSON-RPC message with jsonrpc "2.0", a method as text, and an id that is text or a number; received another value. Correct the message and send it again.',
  ],
  [
    /^Not Acceptable/,
    () =>
      "Expected application/json and text/event-stream in the field Accept; received other types. Name both.",
  ],
  [
    /Unsupported protocol version/,
    (said) => {
      const known = said.slice(said.lastIndexOf("(")).match(/\d{4}-\d\d-\d\d/g) ?? [];
      return `Expected a version of the protocol that this server knows, ${oneOf(known)}; received another one. Send one of these in MCP-Protocol-Version.`;
    },
  ],
  [
    /^Invalid _meta envelope/,
    (said) =>
      `Expected _meta of the message as revision 2026-07-28 defines it; received it with this fault: ${said.replace(/^[^:]*: /, "")}. Correct it and send the message again.`,
  ],
];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
