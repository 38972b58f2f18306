// Forms of password hashes: those that logins can verify, and the names of others.

/** Higher costs delay a login for more than a few seconds. */
export const costs = { least: 4, max: 15, usual: 10 } as const;
/** UTF-16 units; longer passwords match no hash. */
export const maxPassword = 1024;

/** Patterns of hashes that cannot be verified; the first match applies. */
const refused: readonly (readonly [form: RegExp, name: string])[] = [
  [/^\$2[abxy]?\$/, "a damaged bcrypt hash, or one that does not begin with $2a$, $2b$ or $2y$"],
  [/^\$apr1\$/, "a damaged APR1-MD5 hash"],
  [/^\{SHA\}/, "SHA-1"],
  [/^\{SSHA/, "salted SHA-1"],
  [/^\$1\$/, "MD5-crypt"],
  [/^\$5\$/, "SHA-256-crypt"],
  [/^\$6\$/, "SHA-512-crypt"],
  [/^\$argon2/, "Argon2"],
  [/^\$y\$/, "yescrypt"],
  [/^[./0-9A-Za-z]{13}$/, "crypt"],
];

/**
 * Returns why a text is no hash that logins can verify, or undefined if it is one. Never repeats the text.
 */
export function hashFault(text: string): string | undefined {
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text)?.[1]);
  if (cost >= costs.least && cost <= costs.max) return undefined;
  if (/^\$apr1\$[^$:\s]{1,8}\$[./0-9A-Za-z]{22}$/.test(text)) return undefined;
  const expected =
    "expected a bcrypt ($2a$, $2b$, $2y$) or APR1-MD5 ($apr1$) hash, as smalti hash-password makes";
  if (cost > costs.max) return `${expected}, with a cost of at most ${costs.max}; received one of ${cost}`;
  const [, name = "a plaintext password"] = refused.find(([form]) => form.test(text)) ?? [];
  return `${expected}; received ${name}`;
}
