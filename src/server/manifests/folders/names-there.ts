// Which of some names a folder has.

import { createLru, type Lru } from "../../../base/index.ts";
import type { Source } from "../../sources/source.ts";
import { type FolderLocation, inside } from "../locations.ts";

/** What was found in a folder. It holds until then, as long as the state of the folder is the same. */
interface Found {
  readonly state: string;
  readonly until: number;
  readonly names: readonly string[];
}

/** Number of lists of names that are remembered of each source. */
const maxLists = 4096;
/** A link may lose its target while the state of its folder stays the same. */
const rememberedMs = 10_000;

const remembered = new WeakMap<Source, Lru<string, Found>>();

/**
 * Returns those of some names that a folder has, in their order. Asks for each, since the folder may have a
 * hundred thousand others, but not again while it stays the same. Returns none on a source that cannot tell
 * cheaply what it has.
 */
export async function namesThere(
  location: FolderLocation,
  names: readonly string[],
): Promise<readonly string[]> {
  const { source, key } = location;
  const { has } = source;
  if (!has) return [];
  const lists = remembered.get(source) ?? createLru<string, Found>(maxLists);
  remembered.set(source, lists);
  const list = [key, ...names].join("\0");
  const state = await source.stateOf?.(key);
  const known = lists.get(list);
  if (known && known.state === state && Date.now() < known.until) return known.names;
  const found = await Promise.all(names.map((name) => has(inside(location, name).key)));
  const there = names.filter((_, at) => found[at]);
  if (state !== undefined) lists.set(list, { state, until: Date.now() + rememberedMs, names: there }, 1);
  return there;
}
