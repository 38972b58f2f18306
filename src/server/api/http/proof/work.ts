// Challenges by which browsers prove work, and their solutions: those of ALTCHA, version 2, with PBKDF2.
// Loaded when the first stranger is asked.

import { createChallenge, randomInt, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";

export type Challenge = Awaited<ReturnType<typeof createChallenge>>;

/**
 * Iterations of one try, and the number of tries at most. A laptop takes half a second on average and a
 * second at most, an old phone some seconds; the service takes one try for each challenge.
 */
const work = { cost: 600, tries: 5000 } as const;

/** Seconds for which a challenge may be solved. */
const validSeconds = 900;

/** Returns a challenge that {@link isSolved} knows by the same secret. */
export function createWork(secret: string): Promise<Challenge> {
  return createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: work.cost,
    counter: randomInt(work.tries - 1, 0),
    deriveKey,
    expiresAt: Math.floor(Date.now() / 1000) + validSeconds,
    ...secretsOf(secret),
  });
}

/**
 * True if a solution is that of a challenge of the same secret that is not over. It takes three MACs at most
 * and never a try, so that wrong ones cost little.
 */
export async function isSolved(
  secret: string,
  challenge: Challenge,
  solution: { readonly counter: number; readonly derivedKey: string },
): Promise<boolean> {
  // Without one of these, which all of ours have, verification would derive a key, or accept it for ever.
  if (!challenge.parameters.keySignature || !challenge.parameters.expiresAt) return false;
  const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secretsOf(secret) });
  return verified;
}

const secretsOf = (secret: string) => ({
  hmacSignatureSecret: `challenge ${secret}`,
  hmacKeySignatureSecret: `key ${secret}`,
});
