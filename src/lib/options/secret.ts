// Secrets stand in environment variables; the configuration names the variable (keys that end in _env).

/** The value of a variable, without a line break that tools leave at the end of what they read from a file. Throws an Error that names it when it is not set or empty. */
export function secretOf(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name]?.replace(/[\r\n]+$/, "");
  if (!value) throw new Error(`expected the environment variable ${name} to be set; set it, or name another`);
  return value;
}
