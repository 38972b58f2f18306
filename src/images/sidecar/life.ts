// The life of a sidecar in this process: its states, what may happen in each of them, and where that leads.
// README.md beside it has the drawing.

import { createLru } from "../../imaging/lib/lru.ts";
import type { Build } from "./build.ts";

/** What is derived from a master: the entry of its sidecar, and its blocks where no slot has them. */
export interface Sidecar {
  /** What stands in the slot under the master's key; never empty. */
  readonly entry: Uint8Array;
  /** Its blocks, where no slot has them. */
  readonly blocks?: ReadonlyMap<number, Uint8Array>;
}

export type SidecarState =
  /** Nothing is known of one; the slot may have it. */
  | { readonly is: "absent" }
  /** It is looked for in the slot, begun by a render, or made by a job. */
  | { readonly is: "building"; readonly build: Build }
  /** Reads use it. */
  | { readonly is: "complete"; readonly sidecar: Sidecar }
  /** None can be kept of this file; not tried again before `until` (milliseconds since 1970). */
  | { readonly is: "unavailable"; readonly until: number };

export type SidecarEvent =
  /** A read wants it. */
  | { readonly is: "sought"; readonly build: Build }
  /** It was found in the slot, or a job has made it. */
  | { readonly is: "obtained"; readonly sidecar: Sidecar }
  /** The file is damaged, or of a kind of which nothing can be kept. */
  | { readonly is: "refused"; readonly until: number }
  /** The build ended without one: its source failed, nobody wants it any more, or it was put off. */
  | { readonly is: "abandoned" }
  /** A read found a part missing or changed, and its entry was removed from the slot. */
  | { readonly is: "lost" };

type Transitions = {
  readonly [S in SidecarState["is"]]: {
    readonly [E in SidecarEvent["is"]]?: (event: Extract<SidecarEvent, { is: E }>) => SidecarState;
  };
};

const absent: SidecarState = { is: "absent" };

/** An event that a state does not name comes too late, and changes nothing. A purge begins a new life, under another id. */
const transitions: Transitions = {
  absent: { sought: ({ build }) => ({ is: "building", build }) },
  building: {
    obtained: ({ sidecar }) => ({ is: "complete", sidecar }),
    refused: ({ until }) => ({ is: "unavailable", until }),
    abandoned: () => absent,
  },
  complete: { lost: () => absent },
  unavailable: {},
};

/** The state that an event leads to. `now` (milliseconds since 1970) ends a time of being unavailable. */
export function nextState(state: SidecarState, event: SidecarEvent, now: number): SidecarState {
  const current = asOf(state, now);
  const lead = transitions[current.is][event.is] as ((event: SidecarEvent) => SidecarState) | undefined;
  return lead?.(event) ?? current;
}

/** A state as time has left it. */
const asOf = (state: SidecarState, now: number): SidecarState =>
  state.is === "unavailable" && state.until <= now ? absent : state;

export interface SidecarLives {
  of(id: string): SidecarState;
  /** Lets something happen to a sidecar; the state that it is in then. */
  apply(id: string, event: SidecarEvent): SidecarState;
  /** Builds that are under way. */
  builds(): readonly Build[];
}

/** Beside its bytes, what a state takes. */
const stateBytes = 256;

/**
 * States by id. Those at rest take at most `bytes` of memory: the least recently used become absent, since the slot has
 * them. `now`: milliseconds since 1970.
 */
export function createSidecarLives(bytes: number, now: () => number): SidecarLives {
  const building = new Map<string, Extract<SidecarState, { is: "building" }>>();
  const atRest = createLru<string, SidecarState>(bytes);
  const of = (id: string) => asOf(building.get(id) ?? atRest.get(id) ?? absent, now());
  return {
    of,
    apply(id, event) {
      const state = nextState(of(id), event, now());
      if (state.is === "building") building.set(id, state);
      else building.delete(id);
      if (state.is === "absent" || state.is === "building") atRest.delete(id);
      else atRest.set(id, state, weightOf(state));
      return state;
    },
    builds: () => [...building.values()].map(({ build }) => build),
  };
}

function weightOf(state: SidecarState): number {
  if (state.is !== "complete") return stateBytes;
  let weight = stateBytes + state.sidecar.entry.length;
  for (const block of state.sidecar.blocks?.values() ?? []) weight += block.length;
  return weight;
}
