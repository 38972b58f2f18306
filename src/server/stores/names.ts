// Names of entries: those of one group can be removed together.

/** Name of an entry within a group. Neither text may hold NUL. */
export function nameIn(group: string, rest: string): string {
  return `${group}\0${rest}`;
}

/** Group and rest of a name; a name without NUL is its group, and its rest is undefined. */
export function splitName(name: string): { readonly group: string; readonly rest: string | undefined } {
  const at = name.indexOf("\0");
  return at < 0 ? { group: name, rest: undefined } : { group: name.slice(0, at), rest: name.slice(at + 1) };
}
