// Comparison of secrets and MACs.

/** Compares in a time that depends only on the sent bytes, and so reveals nothing about the expected ones. */
export function isSameSecret(sent: Uint8Array, expected: Uint8Array): boolean {
  let differing = sent.length ^ expected.length;
  for (let at = 0; at < sent.length; at++)
    differing |= (sent[at] as number) ^ (expected[at % expected.length] as number);
  return differing === 0;
}
