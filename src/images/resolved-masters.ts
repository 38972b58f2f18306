// Which masters a hook has named for each identifier, so that a purge by identifier finds them all.

import { createLru } from "../imaging/lib/lru.ts";
import type { Source } from "../sources/source.ts";

/** A master that an identifier means, whether it is there or not. */
export interface Owner {
  readonly source: Source;
  readonly key: string;
}

export interface ResolvedMasters {
  note(identifier: string, owner: Owner): void;
  /** Those that were noted for an identifier and are remembered. */
  of(identifier: string): readonly Owner[];
}

/** Masters that are remembered in all, and of one identifier; the ones used last stay. */
const most = { all: 65_536, ofOne: 256 } as const;

/** An empty memory. Identifiers are without page suffix. */
export function createResolvedMasters(): ResolvedMasters {
  const owners = createLru<string, Map<string, Owner>>(most.all);
  const nameOf = ({ source, key }: Owner) => `${source.name}:${key}`;
  return {
    note(identifier, owner) {
      const known = owners.get(identifier) ?? new Map<string, Owner>();
      const name = nameOf(owner);
      if (known.has(name)) return;
      if (known.size >= most.ofOne) known.delete(known.keys().next().value as string);
      known.set(name, owner);
      owners.set(identifier, known, known.size);
    },
    of: (identifier) => [...(owners.get(identifier)?.values() ?? [])],
  };
}
