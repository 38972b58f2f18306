// Reads members of external documents without relying on their form.

import type { Resource } from "./model.ts";

/** Returns a value if it is an object; undefined otherwise. */
export function objectOf(value: unknown): Resource | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Resource)
    : undefined;
}

/** Returns the objects of a list; a single object counts as a list of one. */
export function objectsOf(value: unknown): readonly Resource[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(objectOf).filter(isThere);
}

/** Returns the texts of a list; a single text counts as a list of one. */
export function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the id of a resource or service of any version, or the address itself. */
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

/** Returns a list of one as its item, as usual in documents of 2.1; undefined for an empty list. */
export function oneOrMany<T>(list: readonly T[]): T | readonly T[] | undefined {
  return list.length > 1 ? list : list[0];
}

/** True if a value is present; filters lists of optional values. */
export function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
