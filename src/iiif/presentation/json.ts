// Members of documents that others wrote, read without trust in their shapes.

import type { Resource } from "./model.ts";

/** A value as an object; undefined for all else. */
export function objectOf(value: unknown): Resource | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Resource)
    : undefined;
}

/** The objects of a list; a single object is a list of one. */
export function objectsOf(value: unknown): readonly Resource[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(objectOf).filter(isThere);
}

/** The texts of a list; a single text is a list of one. */
export function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The id of a resource or service of any version, or the address itself. */
export function idOf(value: unknown): string | undefined {
  return textOf(value) ?? textOf(objectOf(value)?.id) ?? textOf(objectOf(value)?.["@id"]);
}

/** Returns an object without members that are undefined or empty lists. */
export function present(members: Readonly<Record<string, unknown>>): Resource {
  const there: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) there[key] = value;
  }
  return there;
}

/** A list of one as that one, as documents of 2.1 usually have it; undefined for none. */
export function oneOrMany<T>(list: readonly T[]): T | readonly T[] | undefined {
  return list.length > 1 ? list : list[0];
}

/** True if a value is present; filters lists of optional values. */
export function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
