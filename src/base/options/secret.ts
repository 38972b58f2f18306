// Secrets are in environment variables; the configuration names the variable (keys that end in _env).

import type { Env } from "../platform.ts";

/**
 * Returns the value of a variable, without a trailing line break, which tools add to values from files.
 * Throws an Error with its name if it is not set or empty; `advice` continues the message.
 */
export function secretOf(name: string, env: Env, advice = ""): string {
  const value = env[name]?.replace(/[\r\n]+$/, "");
  if (!value)
    throw new Error(`expected the environment variable ${name} to be set; set it, or name another${advice}`);
  return value;
}

/** Secrets with fewer characters can be guessed. */
const shortSecret = 16;

/**
 * Returns why a secret that only programs send can be guessed, to follow a name of the secret, with what to
 * do; undefined if nothing shows that it can.
 */
export function guessableSecret(secret: string): string | undefined {
  const advice = "so it can be guessed; use 32 random bytes, such as those of openssl rand -hex 32";
  if (secret.length < shortSecret) return `has ${secret.length} characters, ${advice}`;
  if (new Set(secret).size < shortSecret / 2) return `repeats a few characters, ${advice}`;
  return isRepeated(secret) ? `repeats a few characters, ${advice}` : undefined;
}

/** True if a text is a shorter one several times, the last of them perhaps cut. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= Math.ceil(text.length / 2); period++)
    if (text.slice(period) === text.slice(0, -period)) return true;
  return false;
}
