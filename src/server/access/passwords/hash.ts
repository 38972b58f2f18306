// Creates password hashes and verifies passwords.

import { hash as bcrypt, compare, compareSync, truncates } from "bcryptjs";
import { apr1 } from "./apr1.ts";

/**
 * True if a password matches a hash that `hashFault` accepts. Blocks the thread for as long as the hash
 * takes.
 */
export function verifyHere(password: string, hash: string): boolean {
  return hash.startsWith("$apr1$") ? fitsApr1(password, hash) : compareSync(password, hash);
}

/** True if the password fits the hash; pauses about every 100 ms. */
export async function verifyInTurns(password: string, hash: string): Promise<boolean> {
  return hash.startsWith("$apr1$") ? fitsApr1(password, hash) : compare(password, hash);
}

/** Returns a bcrypt hash. Throws an Error if the password is empty or has more bytes than bcrypt uses. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  if (password === "") throw new Error("expected a password, received an empty one");
  if (truncates(password))
    throw new Error("expected a password of at most 72 bytes, which is all that bcrypt looks at");
  return bcrypt(password, cost);
}

function fitsApr1(password: string, hash: string): boolean {
  const made = apr1(password, hash.split("$")[2] ?? "");
  // Takes the same time wherever the hashes differ.
  let different = made.length ^ hash.length;
  for (let i = 0; i < made.length; i++) different |= made.charCodeAt(i) ^ hash.charCodeAt(i);
  return different === 0;
}
