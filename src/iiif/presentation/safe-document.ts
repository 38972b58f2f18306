// Leaves out of an operator's document what clients must not follow or run, before anything else reads it.

import { changedItems, changedMembers } from "./changed.ts";
import { type Fault, type FaultPath, noteUnexpected } from "./description/faults.ts";
import { objectOf } from "./json.ts";
import { isHarmless, isWebAddress } from "./safe-address.ts";
import { safeHtml } from "./safe-html.ts";

/** What a string is. */
type Role =
  /** An address that people and clients follow. */
  | "link"
  /** Another address, or a name. */
  | "address"
  /** A text that may be HTML. */
  | "text"
  /** A text that is never HTML, such as the label `<Untitled>`. */
  | "plain"
  | undefined;

const membersByRole = {
  link: "homepage rendering seeAlso logo thumbnail related rights license",
  address:
    "id @id target source on full within partOf service services profile first last next prev start startCanvas body resource",
  text: "summary metadata requiredStatement value chars description attribution heading note",
  plain: "label",
} as const;

const roles: ReadonlyMap<string, Role> = new Map(
  Object.entries(membersByRole).flatMap(([role, names]) =>
    names.split(" ").map((name) => [name, role as Role] as const),
  ),
);

/** Types of parts that are numbered if they have no address; others are nothing without theirs. */
const numbered: ReadonlySet<unknown> = new Set(
  "Canvas sc:Canvas Annotation oa:Annotation AnnotationPage sc:AnnotationList Range sc:Range".split(" "),
);

/** Returns a value without unsafe addresses and HTML, and a fault for each; the same value without any. */
export function safeDocument(value: unknown): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const at: ValuePosition = { path: [], faults: [] };
  return { value: safeValue(value, undefined, at), faults: at.faults };
}

/** The place of the walk, whose path changes with it, and the faults that were found. */
interface ValuePosition extends FaultPath {
  readonly path: (string | number)[];
}

/** Returns what is left of a value; undefined for nothing. */
function safeValue(value: unknown, role: Role, at: ValuePosition): unknown {
  if (typeof value === "string") return safeText(value, role, at);
  if (Array.isArray(value))
    return changedItems(value, (item, index) => readInside(at, index, () => safeValue(item, role, at)));
  const resource = objectOf(value);
  if (!resource) return value;
  let isNothing = false;
  const safe = changedMembers(resource, (name, held) => {
    // Outlines on a canvas are SVG, which is no text for people.
    if (name === "selector") return held;
    const left = readInside(at, name, () => safeValue(held, roleIn(role, name, held), at));
    const isId = name === "id" || name === "@id";
    isNothing ||= left === undefined && isId && !numbered.has(resource.type ?? resource["@type"]);
    return left;
  });
  return isNothing && at.path.length > 0 ? undefined : safe;
}

function readInside<T>(at: ValuePosition, step: string | number, read: () => T): T {
  at.path.push(step);
  const result = read();
  at.path.pop();
  return result;
}

/** The role of a member. In texts, `id` is a language; a thumbnail may be the name of an image. */
function roleIn(around: Role, name: string, held: unknown): Role {
  if (around === "text" || around === "plain") return name === "label" ? "plain" : around;
  if (around === "link" && (name === "id" || name === "@id")) return "link";
  return name === "thumbnail" && typeof held === "string" ? "address" : roles.get(name);
}

function safeText(text: string, role: Role, at: ValuePosition): string | undefined {
  const refuse = (expected: string) =>
    noteUnexpected({ path: [...at.path], faults: at.faults }, expected, text);
  if (role === "link" && !isWebAddress(text)) return refuse("an address with http or https");
  if (role === "address" && !isHarmless(text))
    return refuse("an address that runs no script and names no local file");
  if (role !== "text") return text;
  const safe = safeHtml(text);
  if (safe !== text) refuse("HTML without scripts, handlers and unsafe links");
  return safe;
}
