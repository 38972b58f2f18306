// Checks a store: stores an entry, reads it, and removes it.

import { toHex } from "../../base/index.ts";
import type { Store } from "./store.ts";

/**
 * Returns true if the store returns what was written. Throws what the store throws. Leaves nothing behind.
 */
export async function roundTrip({
  set,
  get,
  delete: remove,
}: Pick<Store, "set" | "get" | "delete">): Promise<boolean> {
  // No entry of a caller has NUL in its name.
  const name = "\0check";
  const variant = crypto.randomUUID();
  const value = crypto.getRandomValues(new Uint8Array(16));
  await set(name, variant, value, 60);
  const back = await get(name, variant);
  await remove(name, variant);
  return back !== undefined && toHex(back) === toHex(value);
}
