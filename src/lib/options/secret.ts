// Secrets are in environment variables; the configuration names the variable (keys that end in _env).

/**
 * Returns the value of a variable, without a trailing line break, which tools add to values from files.
 * Throws an Error with its name if it is not set or empty.
 */
export function secretOf(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name]?.replace(/[\r\n]+$/, "");
  if (!value) throw new Error(`expected the environment variable ${name} to be set; set it, or name another`);
  return value;
}
