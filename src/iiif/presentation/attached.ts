// Annotations of a page by the canvases that they target, and those of one canvas as a page of their own (Web
// Annotation Data Model, section 3.2; Presentation API 3.0, section 5.5).

import { idOf, isThere, objectOf, objectsOf, oneOrMany, textOf } from "./json.ts";
import type { Resource } from "./model.ts";

/** Returns the id of the resource that an address without a fragment names; undefined for any other. */
export type IdOfTarget = (address: string) => string | undefined;

/** Returns the annotations of a page, of a collection that contains its pages, or a single one. */
export function annotationsIn(document: Resource): readonly Resource[] {
  if (document.type === "Annotation") return [document];
  const { items, first, last } = document;
  const held = document.type === "AnnotationCollection" ? [items, first, last].flat() : [document];
  return held.flatMap(objectsOf).flatMap((page) => objectsOf(page.items));
}

/** An annotation of one of its targets. */
export interface TargetedAnnotation {
  readonly annotation: Resource;
  /** The annotation with that target only. */
  readonly narrowed: Resource;
}

export interface TargetedAnnotations {
  /** Annotations by the ids of the resources that they target. */
  readonly byTarget: ReadonlyMap<string, readonly TargetedAnnotation[]>;
  /** Annotations that target nothing known. */
  readonly left: readonly Resource[];
}

/** Sorts annotations by what they target. An annotation with several targets is listed for each. */
export function annotationsByTarget(
  annotations: readonly Resource[],
  idOfTarget: IdOfTarget,
): TargetedAnnotations {
  const byTarget = new Map<string, TargetedAnnotation[]>();
  const left: Resource[] = [];
  for (const annotation of annotations) {
    const { on, target = on, ...rest } = annotation;
    const ids = new Set<string>();
    const note: IdOfTarget = (address) => {
      const id = idOfTarget(address);
      if (id !== undefined) ids.add(id);
      return id;
    };
    narrowTarget(target, note);
    for (const id of ids) {
      const own = narrowTarget(target, (address) => (idOfTarget(address) === id ? id : undefined));
      const list = byTarget.get(id) ?? [];
      list.push({ annotation, narrowed: { ...rest, target: own } });
      byTarget.set(id, list);
    }
    if (ids.size === 0) left.push(annotation);
  }
  return { byTarget, left };
}

/**
 * Returns what is left of a target whose resources `idOfTarget` knows, with their ids; undefined if it knows
 * none. Targets are addresses with or without a fragment, resources, specific resources, and lists of those.
 */
export function narrowTarget(target: unknown, idOfTarget: IdOfTarget): unknown {
  const text = textOf(target);
  if (text !== undefined) return moveAddress(text, idOfTarget);
  if (Array.isArray(target))
    return oneOrMany(target.map((each) => narrowTarget(each, idOfTarget)).filter(isThere));
  const resource = objectOf(target);
  if (!resource) return undefined;
  for (const member of ["source", "full", "items"]) {
    if (resource[member] === undefined) continue;
    const left = narrowTarget(resource[member], idOfTarget);
    if (left === undefined) continue;
    return { ...resource, [member]: member === "items" ? [left].flat() : left };
  }
  const id = idOf(resource);
  const own = id === undefined ? undefined : moveAddress(id, idOfTarget);
  return own === undefined ? undefined : { ...resource, [resource.id === undefined ? "@id" : "id"]: own };
}

/** Returns an address with the id of what it names, and its fragment. */
function moveAddress(address: string, idOfTarget: IdOfTarget): string | undefined {
  const [, bare = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(address) ?? [];
  const id = idOfTarget(bare);
  return id === undefined ? undefined : id + fragment;
}
