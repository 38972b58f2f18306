// Secrets stand in environment variables; the configuration names the variable (keys that end in _env).

/** The value of a variable. Throws an Error that names it when it is not set or empty. */
export function secretOf(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name];
  if (!value) throw new Error(`expected the environment variable ${name} to be set; set it, or name another`);
  return value;
}
