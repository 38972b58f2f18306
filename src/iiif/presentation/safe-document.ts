// Leaves out of an operator's document what clients must not follow or run, before anything else reads it.

import { type Fault, type FaultPath, inside, noteUnexpected } from "./description/faults.ts";
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
  const at: FaultPath = { path: [], faults: [] };
  const safe = safeValue(value, undefined, at);
  return at.faults.length === 0 ? { value, faults: [] } : { value: safe, faults: at.faults };
}

/** Returns what is left of a value; undefined for nothing. */
function safeValue(value: unknown, role: Role, at: FaultPath): unknown {
  if (typeof value === "string") return safeText(value, role, at);
  if (Array.isArray(value))
    return value.flatMap((item, place) => {
      const left = safeValue(item, role, inside(at, place));
      return left === undefined && item !== undefined ? [] : [left];
    });
  if (typeof value !== "object" || value === null) return value;
  const resource = value as Readonly<Record<string, unknown>>;
  const members: [string, unknown][] = [];
  for (const [name, held] of Object.entries(resource)) {
    const isId = name === "id" || name === "@id";
    // Outlines on a canvas are SVG, which is no text for people.
    const left = name === "selector" ? held : safeValue(held, roleIn(role, name, held), inside(at, name));
    if (left !== undefined || held === undefined) members.push([name, left]);
    else if (isId && at.path.length > 0 && !numbered.has(resource.type ?? resource["@type"]))
      return undefined;
  }
  return Object.fromEntries(members);
}

/** The role of a member. In texts, `id` is a language; a thumbnail may be the name of an image. */
function roleIn(around: Role, name: string, held: unknown): Role {
  if (around === "text" || around === "plain") return name === "label" ? "plain" : around;
  if (around === "link" && (name === "id" || name === "@id")) return "link";
  return name === "thumbnail" && typeof held === "string" ? "address" : roles.get(name);
}

function safeText(text: string, role: Role, at: FaultPath): string | undefined {
  if (role === "link" && !isWebAddress(text))
    return noteUnexpected(at, "an address with http or https", text);
  if (role === "address" && !isHarmless(text))
    return noteUnexpected(at, "an address that runs no script and names no local file", text);
  if (role !== "text") return text;
  const safe = safeHtml(text);
  if (safe !== text) noteUnexpected(at, "HTML without scripts, handlers and unsafe links", text);
  return safe;
}
