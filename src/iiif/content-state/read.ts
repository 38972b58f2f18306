// The target of a content state in any of its forms (Content State API 1.0, sections 2 and 3). Addresses in
// it are never fetched.

import { parseUrl, ServiceError } from "../../base/index.ts";
import { invalidState } from "./encode.ts";
import type { Region } from "./region.ts";
import { fragmentRegion, selectedPart } from "./selectors.ts";

/** The form of a state. */
export type StateForm = "target-body" | "annotation" | "canvas" | "manifest" | "uri" | "list";

export interface StateTarget {
  /** Without its fragment. */
  readonly id: string;
  /** Type as Presentation 3 names it, such as `Manifest` or `Canvas`; missing if only an address is given. */
  readonly type?: string;
  readonly region?: Region;
  /**
   * Types of selectors that name no readable region, `fragment` for that of an address: the whole canvas is
   * shown instead.
   */
  readonly unread?: readonly string[];
  /** Address of the manifest that the state names; the target's own if it is a manifest. */
  readonly manifestId?: string;
}

export interface ReadState {
  readonly form: StateForm;
  /** In order; at least one. */
  readonly targets: readonly [StateTarget, ...StateTarget[]];
  /** Deviations from the specification that were tolerated. */
  readonly problems: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** Maximum number of targets of a state. */
const maxTargets = 100;

/** Maximum nesting of lists and objects. */
const maxDepth = 64;

/**
 * Reads a state from its JSON. Throws `bad-request`: code invalid_content_state if it names no target with an
 * absolute address, content_state_too_deep above 64 levels of lists and objects, which would exhaust the
 * stack when written out again.
 */
export function readState(state: unknown): ReadState {
  if (isDeeper(state, maxDepth))
    throw new ServiceError(
      "bad-request",
      `Expected a content state of at most ${maxDepth} levels of lists and objects; received more. Send a flatter one.`,
      { code: "content_state_too_deep" },
    );
  const problems: string[] = [];
  const form = formOf(state);
  const annotated = form === "annotation" ? targetOf(state as Members, problems) : state;
  const list = Array.isArray(annotated) ? annotated : [annotated];
  if (list.length > maxTargets) problems.push(`Only the first ${maxTargets} targets are read.`);
  const [first, ...more] = list.slice(0, maxTargets).map((target) => readTarget(target, problems));
  if (!first) throw invalidState("Expected one target at least; received an empty list.");
  if (more.length > 0) problems.push("The state has several targets; viewers open the first.");
  return { form, targets: [first, ...more], problems };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function formOf(state: unknown): StateForm {
  if (typeof state === "string") return "uri";
  if (Array.isArray(state)) return "list";
  if (!isMembers(state))
    throw invalidState("Expected an object, a list or an address; received something else.");
  const type = typeOf(state);
  if (type === "Annotation") return "annotation";
  // Whole resources, as copied from a manifest.
  if (type === "Manifest" && ("items" in state || "sequences" in state)) return "manifest";
  if (type === "Canvas" && ("items" in state || "images" in state)) return "canvas";
  return "target-body";
}

function targetOf(annotation: Members, problems: string[]): unknown {
  const { motivation } = annotation;
  if (![motivation].flat().includes("contentState"))
    problems.push('The annotation has no motivation "contentState".');
  if (idOf(annotation) === undefined) problems.push("The annotation has no id.");
  if (!("target" in annotation)) throw invalidState("Expected an annotation with a target; received none.");
  return annotation.target;
}

function readTarget(target: unknown, problems: string[]): StateTarget {
  if (typeof target === "string") return fromAddress(target, {}, problems);
  if (!isMembers(target))
    throw invalidState("Expected targets that are objects or addresses; received another value.");
  if (typeOf(target) === "SpecificResource" || "source" in target) return readSpecific(target, problems);
  const id = idOf(target);
  if (id === undefined) throw invalidState("Expected a target with an id; received one without.");
  const type = typeOf(target);
  if (type === undefined) problems.push("The target has no type.");
  return fromAddress(id, { type, manifestId: manifestOf(target) }, problems);
}

/** Reads a source with a selector (Web Annotation Data Model, section 4). */
function readSpecific(specific: Members, problems: string[]): StateTarget {
  const { source, selector } = specific;
  const [only] = [source].flat();
  const target = readTarget(isMembers(only) && "source" in only ? undefined : only, problems);
  const { region, unread } = selectedPart(selector, typeOf);
  if (unread)
    problems.push(`The selector (${unread.join(", ")}) names no readable region, so the whole is shown.`);
  const manifestId = target.manifestId ?? manifestOf(specific);
  return {
    ...target,
    ...(region && { region }),
    ...(unread && !target.region && { unread }),
    ...(manifestId !== undefined && { manifestId }),
  };
}

function fromAddress(
  address: string,
  known: { readonly type?: string | undefined; readonly manifestId?: string | undefined },
  problems: string[],
): StateTarget {
  const [id = "", ...fragment] = address.split("#");
  if (!/^https?:\/\//i.test(id) || !parseUrl(id))
    throw invalidState("Expected targets with absolute http or https addresses; received another address.");
  const region = fragment.length > 0 ? fragmentRegion(fragment.join("#")) : undefined;
  const isUnread = fragment.length > 0 && !region;
  if (isUnread)
    problems.push("The fragment names no region of the form xywh=x,y,w,h, so that the whole is shown.");
  const manifestId = known.manifestId ?? (known.type === "Manifest" ? id : undefined);
  if (manifestId === undefined && (known.type === "Canvas" || known.type === "Range"))
    problems.push(`The ${known.type} has no partOf that names its manifest, so viewers cannot open it.`);
  return {
    id,
    ...(known.type !== undefined && { type: known.type }),
    ...(region && { region }),
    ...(isUnread && { unread: ["fragment"] }),
    ...(manifestId !== undefined && { manifestId }),
  };
}

/** Returns the address of the manifest in `partOf`, or `within` in version 2. */
function manifestOf(target: Members): string | undefined {
  for (const each of [target.partOf ?? target.within].flat()) {
    const id = typeof each === "string" ? each : isMembers(each) ? idOf(each) : undefined;
    const type = isMembers(each) ? typeOf(each) : undefined;
    if (id !== undefined && (type === undefined || type === "Manifest") && /^https?:\/\//i.test(id))
      return id.split("#")[0];
  }
  return undefined;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const idOf = (members: Members) => textOf(members.id) ?? textOf(members["@id"]);

/** Returns the type as version 3 has it, without a prefix such as `sc:` or `oa:`. */
function typeOf(members: Members): string | undefined {
  const [type] = [members.type ?? members["@type"]].flat();
  return textOf(type)?.replace(/^(sc|oa|dctypes|as):/, "");
}
