// Access of a store to Redis: over a socket or over HTTP.

export type RedisArgument = string | number | Uint8Array;

/** Lua scripts by name, each an atomic step in Redis. */
export type RedisScripts<Script extends string> = Readonly<Record<Script, string>>;

/** Runs the scripts that it was made with. */
export interface RedisDriver<Script extends string> {
  /** Values written by drivers of another form are not for this one. */
  readonly form: "binary" | "base64";
  /** A value as an argument, and a reply as the value. */
  encode(value: Uint8Array): string | Uint8Array;
  decode(reply: unknown): Uint8Array;
  /**
   * Runs a script and returns its reply: integers as numbers, nil as null, lists as arrays. Throws an Error
   * whose message is for the operator and contains no address, key or secret.
   */
  run(script: Script, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown>;
  close(): Promise<void>;
}

const checkPassword = "Check what password_env or token_env names.";
const checkAddress = "Check addr or url, and that Redis runs there.";

/** Advice for operators by error code of Redis or the runtime. */
const adviceFor: Readonly<Record<string, string>> = {
  WRONGPASS: checkPassword,
  NOAUTH: checkPassword,
  UNAUTHORIZED: checkPassword,
  NOPERM: "Allow this user to run scripts and to use the keys of the prefix.",
  OOM: "Give Redis more memory than the max_memory of all slots together.",
  MISCONF: "Redis cannot write its snapshot to disk.",
  READONLY: "Name the primary, not a replica.",
  MOVED: "Name a single node, not one of a cluster.",
  WRONGTYPE: "Something else uses keys with this prefix: set another prefix.",
  LOADING: "It is still loading its data.",
  ERR: "Check db, and that Redis is of version 5 or newer.",
  ECONNREFUSED: checkAddress,
  ENOTFOUND: checkAddress,
  EAI_AGAIN: checkAddress,
  EHOSTUNREACH: checkAddress,
  ETIMEDOUT: checkAddress,
  SELF_SIGNED_CERT_IN_CHAIN: "Its certificate is not trusted.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Its certificate is not trusted.",
};

/**
 * The error for the operator. Of the cause only the message stays: clients hang the whole command on their
 * errors.
 */
export function redisFailure(cause: unknown): Error {
  const { message = "", code } = (cause ?? {}) as { message?: string; code?: unknown };
  const word = typeof code === "string" && /^[A-Z_]{2,40}$/.test(code) ? code : wordOf(message);
  const advice = adviceFor[word ?? ""] ?? checkAddress;
  return new Error(`Redis cannot be used${word ? ` (${word})` : ""}. ${advice}`, { cause: message });
}

function wordOf(message: string): string | undefined {
  // Before a password is given, Redis takes short commands only.
  if (/^ERR .*unauthenticated/.test(message)) return "NOAUTH";
  if (/^unauthorized/i.test(message)) return "UNAUTHORIZED";
  return /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
}
