// Remembers the masters that a hook has named for each identifier, so that a purge by identifier finds them
// all.

import { createLru } from "../../base/index.ts";
import type { Source } from "../sources/source.ts";

/** A master that an identifier may mean; it need not exist. */
export interface Owner {
  readonly source: Source;
  readonly key: string;
}

export interface ResolvedMasters {
  note(identifier: string, owner: Owner): void;
  /** Returns the remembered masters of an identifier. */
  of(identifier: string): readonly Owner[];
  /** Returns the remembered masters of all identifiers with this beginning, each once. */
  below(beginning: string): readonly Owner[];
}

/**
 * Maximum number of remembered masters, in total and of one identifier; the least recently used identifiers
 * are dropped.
 */
const max = { all: 65_536, ofOne: 256 } as const;

/** Creates an empty memory. Identifiers are without page suffix. */
export function createResolvedMasters(): ResolvedMasters {
  const owners = createLru<string, Map<string, Owner>>(max.all);
  const nameOf = ({ source, key }: Owner) => `${source.name}:${key}`;
  return {
    note(identifier, owner) {
      const known = owners.get(identifier) ?? new Map<string, Owner>();
      const name = nameOf(owner);
      if (known.has(name)) return;
      if (known.size >= max.ofOne) known.delete(known.keys().next().value as string);
      known.set(name, owner);
      owners.set(identifier, known, known.size);
    },
    of: (identifier) => [...(owners.get(identifier)?.values() ?? [])],
    below(beginning) {
      const found = new Map<string, Owner>();
      for (const identifier of [...owners.keys()])
        if (identifier.startsWith(beginning))
          for (const [name, owner] of owners.get(identifier) ?? []) found.set(name, owner);
      return [...found.values()];
    },
  };
}
