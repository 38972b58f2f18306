// The state of a remote master: its current bytes, and the name under which they are cached.

import { concatenate, sha256, toHex } from "../../../base/index.ts";
import { hasValidator, type RemoteFacts } from "../remote.ts";

/** The latest known state of a master. */
export interface State {
  readonly facts: RemoteFacts;
  readonly validator: string;
  /** Name of the blocks of this state; different for each state, key and origin. */
  readonly id: string;
  readonly checkedAt: number;
  /**
   * Number of the latest purge when the state became known; after another purge nothing of it is used or
   * stored.
   */
  readonly generation: number;
}

/** Variant of a state in the origin slot; its number is raised whenever states are named in another way. */
export const stateVariant = "state.2";

/**
 * Returns the validator of a state: the entity tag, or else the time of the last change, or else the digest
 * of all bytes, always with the size. `all` is only needed for masters with neither tag nor time.
 */
export async function validatorOf(facts: RemoteFacts, all: readonly Uint8Array[] = []): Promise<string> {
  const { etag, modified, size } = facts;
  const name = hasValidator(facts) ? (etag ?? String(modified)) : toHex(await sha256(concatenate(all)));
  return validatorIn(name, size);
}

/** Returns the validator of a master, made from its size and its entity tag or a substitute for that. */
export const validatorIn = (tag: string, size: number): string => `${tag}-${size}`;

/** Returns the name of the blocks of one state of a master. `fingerprint` is that of its source. */
export async function idOf(fingerprint: string, key: string, validator: string): Promise<string> {
  const text = JSON.stringify([fingerprint, key, validator]);
  return toHex(await sha256(new TextEncoder().encode(text))).slice(0, 24);
}

/** Encodes a state for the origin slot. */
export const encodeState = ({ generation: _, ...state }: State): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(state));

/** Decodes a state, the inverse of {@link encodeState}. Returns undefined if the bytes are not a state. */
export function decodeState(bytes: Uint8Array, generation: number): State | undefined {
  try {
    const state = JSON.parse(new TextDecoder().decode(bytes)) as Partial<State>;
    const sound =
      typeof state.validator === "string" &&
      typeof state.id === "string" &&
      typeof state.checkedAt === "number" &&
      Number.isSafeInteger(state.facts?.size);
    return sound ? ({ ...state, generation } as State) : undefined;
  } catch {
    return undefined;
  }
}
