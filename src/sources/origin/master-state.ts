// What is known of a remote master: which bytes it has, and under which name they are kept.

import { concatenated } from "../../imaging/lib/concatenated.ts";
import { sha256, toHex } from "../../imaging/lib/digest.ts";
import { hasValidator, type RemoteFacts } from "../remote.ts";

/** A master as it was last seen. */
export interface State {
  readonly facts: RemoteFacts;
  readonly validator: string;
  /** Name of its blocks: another one for each state, key and origin. */
  readonly id: string;
  readonly checkedAt: number;
  /** Since which purge it is known: after another one nothing of it is used or kept. */
  readonly generation: number;
}

/** Variant of a state in the origin slot; the number rises when what names a state changes. */
export const stateVariant = "state.2";

/**
 * The entity tag, else the time of the last change, else the digest of all bytes, which only a master without the two needs; always
 * with the size.
 */
export async function validatorOf(facts: RemoteFacts, all: readonly Uint8Array[] = []): Promise<string> {
  const { etag, modified, size } = facts;
  const name = hasValidator(facts) ? (etag ?? String(modified)) : toHex(await sha256(concatenated(all)));
  return validatorIn(name, size);
}

/** The validator of a master by its entity tag, or what stands for one, and its size. */
export const validatorIn = (tag: string, size: number): string => `${tag}-${size}`;

/** The name of the blocks of one state of a master. `fingerprint`: of its source. */
export async function idOf(fingerprint: string, key: string, validator: string): Promise<string> {
  const text = JSON.stringify([fingerprint, key, validator]);
  return toHex(await sha256(new TextEncoder().encode(text))).slice(0, 24);
}

/** A state as the origin slot keeps it. */
export const encodeState = ({ generation: _, ...state }: State): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(state));

/** The inverse of {@link encodeState}; undefined for what is no state. */
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
