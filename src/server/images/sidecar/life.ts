// Life of a layer of a sidecar in this process: its states, events and transitions. README.md in this folder
// shows them as a diagram.

import { createLru } from "../../../base/index.ts";
import type { Build } from "./build.ts";

/** Data derived from a master: a layer of its sidecar. */
export interface Sidecar {
  /** Entry, never empty; absent if the slot has it, under the key of the layer. */
  readonly entry?: Uint8Array;
  /** Blocks of the layer if there is no slot to store them; absent otherwise. */
  readonly blocks?: ReadonlyMap<number, Uint8Array>;
}

export type SidecarState =
  /** This process knows of no sidecar; the slot may have one. */
  | { readonly is: "absent" }
  /** It is looked up in the slot, begun by a render, or built by a job. */
  | { readonly is: "building"; readonly build: Build }
  /** It is used by reads. */
  | { readonly is: "complete"; readonly sidecar: Sidecar }
  /** This file can have none; no new attempt is made before `until` (milliseconds since 1970). */
  | { readonly is: "unavailable"; readonly until: number };

export type SidecarEvent =
  /** A read needs the sidecar. */
  | { readonly is: "sought"; readonly build: Build }
  /** The sidecar was found in the slot, or built by a job. */
  | { readonly is: "obtained"; readonly sidecar: Sidecar }
  /** The file is damaged, or of a kind without a sidecar. */
  | { readonly is: "refused"; readonly until: number }
  /**
   * The build ended without a sidecar: its source failed, no request waits for it any more, or it was
   * postponed.
   */
  | { readonly is: "abandoned" }
  /** A read found a part missing or changed, and the entry was removed from the slot. */
  | { readonly is: "lost" };

type Transitions = {
  readonly [S in SidecarState["is"]]: {
    readonly [E in SidecarEvent["is"]]?: (event: Extract<SidecarEvent, { is: E }>) => SidecarState;
  };
};

const absent: SidecarState = { is: "absent" };

/**
 * An event that a state does not list is too late, and changes nothing. A purge begins a new life, under
 * another id.
 */
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

/**
 * Returns the state after an event. `now`: milliseconds since 1970; an unavailable sidecar becomes absent
 * when its time is over.
 */
export function nextState(state: SidecarState, event: SidecarEvent, now: number): SidecarState {
  const current = asOf(state, now);
  const lead = transitions[current.is][event.is] as ((event: SidecarEvent) => SidecarState) | undefined;
  return lead?.(event) ?? current;
}

/** Returns a state at the time `now`. */
const asOf = (state: SidecarState, now: number): SidecarState =>
  state.is === "unavailable" && state.until <= now ? absent : state;

export interface SidecarLives {
  stateOf(id: string): SidecarState;
  /** Applies an event to a sidecar and returns its new state. */
  apply(id: string, event: SidecarEvent): SidecarState;
  /** Returns the builds in progress. */
  builds(): readonly Build[];
}

/** Weight of a state in addition to the bytes of its sidecar. */
const stateBytes = 256;

/**
 * Creates the states by id. States other than "building" take at most `bytes` of memory; the least recently
 * used become absent, since the slot has their sidecars. `now`: milliseconds since 1970.
 */
export function createSidecarLives(bytes: number, now: () => number): SidecarLives {
  const building = new Map<string, Extract<SidecarState, { is: "building" }>>();
  const atRest = createLru<string, SidecarState>(bytes);
  const stateOf = (id: string) => asOf(building.get(id) ?? atRest.get(id) ?? absent, now());
  return {
    stateOf,
    apply(id, event) {
      const state = nextState(stateOf(id), event, now());
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
  let weight = stateBytes + (state.sidecar.entry?.length ?? 0);
  for (const block of state.sidecar.blocks?.values() ?? []) weight += block.length;
  return weight;
}
