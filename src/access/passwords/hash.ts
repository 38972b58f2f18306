// Making hashes of passwords, and whether a password fits one.

import { hash as bcrypt, compare, compareSync, truncates } from "bcryptjs";
import { apr1 } from "./apr1.ts";

/** Whether a password fits a hash that `hashFault` accepts. Takes the thread for as long as the hash costs. */
export function verifyHere(password: string, hash: string): boolean {
  return hash.startsWith("$apr1$") ? fitsApr1(password, hash) : compareSync(password, hash);
}

/** The same, with a pause about every 100 ms. */
export async function verifyInTurns(password: string, hash: string): Promise<boolean> {
  return hash.startsWith("$apr1$") ? fitsApr1(password, hash) : compare(password, hash);
}

/** A bcrypt hash. Throws an Error where the password is empty, or has more bytes than bcrypt looks at. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  if (password === "") throw new Error("expected a password, received an empty one");
  if (truncates(password))
    throw new Error("expected a password of at most 72 bytes, which is all that bcrypt looks at");
  return bcrypt(password, cost);
}

function fitsApr1(password: string, hash: string): boolean {
  const made = apr1(password, hash.split("$")[2] ?? "");
  // As long for a hash that differs at its beginning as for one that differs at its end.
  let different = made.length ^ hash.length;
  for (let i = 0; i < made.length; i++) different |= made.charCodeAt(i) ^ hash.charCodeAt(i);
  return different === 0;
}
