// From YAML text and environment to a valid configuration, or to a list of problems that each name their key.

import { parseDocument } from "yaml";
import { describeValue, explain, type Problem } from "./problems.ts";
import { asMeant } from "./scalars.ts";
import { type Config, configSchema } from "./schema.ts";
import { childKeys, overridable } from "./walk.ts";

export { type Problem, problemLines } from "./problems.ts";

export type Loaded =
  | { readonly config: Config; readonly problems?: undefined; readonly overridden: readonly string[] }
  | { readonly config?: undefined; readonly problems: readonly Problem[] };

/**
 * The configuration of a YAML text (undefined or empty: all defaults) under environment variables (D-1, D-4).
 * All problems are returned together; none is thrown.
 */
export function loadConfig(
  text: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Loaded {
  const parsed = parseYaml(text ?? "");
  if (parsed.problems) return parsed;
  const overridden: string[] = [];
  for (const { path, env: name } of overridable()) {
    const value = env[name];
    if (value === undefined || value === "") continue;
    place(parsed.value, path, value);
    place(parsed.texts, path, value);
    overridden.push(path);
  }
  const meant = asMeant(withoutEmpty(parsed.value, []), parsed.texts);
  const result = configSchema.safeParse(meant, { reportInput: true });
  if (result.success) {
    const unset = unsetVariables(result.data, env);
    return unset.length > 0 ? { problems: unset } : { config: result.data, overridden };
  }
  return { problems: result.error.issues.flatMap((issue) => explain(issue, overridden)) };
}

type Parsed =
  | {
      readonly value: Record<string, unknown>;
      /** The same with every scalar as it is written. */
      readonly texts: Record<string, unknown>;
      readonly problems?: undefined;
    }
  | { readonly problems: readonly Problem[] };

function parseYaml(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map((error) => ({
        path: "",
        message: `not valid YAML: ${(error.message.split("\n")[0] ?? "").replace(/:$/, "")}`,
      })),
    };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { problems: [{ path: "", message: `not valid YAML: ${(error as Error).message}` }] };
  }
  const circle = pathOfCircle(value);
  if (circle !== undefined)
    return {
      problems: [
        { path: circle, message: "expected a value, received an alias of what it stands in; write it out" },
      ],
    };
  if (value === null || value === undefined) return { value: {}, texts: {} };
  if (typeof value !== "object" || Array.isArray(value))
    return {
      problems: [
        {
          path: "",
          message: `expected keys and values (such as "addr: :8080"), received ${describeValue(value)}`,
        },
      ],
    };
  const texts = parseDocument(text, { schema: "failsafe" }).toJS({ maxAliasCount: 100 });
  return { value: value as Record<string, unknown>, texts };
}

/** Keys ending in `_env` that name a variable which is unset or empty (D-3). */
function unsetVariables(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  path: readonly string[] = [],
): Problem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    if (!key.endsWith("_env") || typeof child !== "string") return unsetVariables(child, env, [...path, key]);
    if (child === "" || env[child]) return [];
    const message = `the environment variable ${child} is not set; set it to the secret, or take this key away`;
    return [{ path: [...path, key].join("."), message }];
  });
}

/** Where a value holds itself, which an alias can make it do; undefined where all ends. */
function pathOfCircle(value: unknown, path = "", around: readonly unknown[] = []): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (around.includes(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = pathOfCircle(child, path ? `${path}.${key}` : key, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function place(root: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() as string;
  let at = root;
  for (const key of keys) {
    const next = at[key];
    if (next !== undefined && next !== null && typeof next !== "object") return; // the schema will say what is wrong there
    at = (at[key] ??= {}) as Record<string, unknown>;
  }
  at[last] = value;
}

/** Known keys that stand without a value (all lines below them commented out, say) count as not written. */
function withoutEmpty(value: unknown, path: readonly PropertyKey[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => withoutEmpty(item, [...path, at]));
  if (typeof value !== "object" || value === null) return value;
  const known = childKeys(path);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => child !== null || !known.includes(key))
      .map(([key, child]) => [key, withoutEmpty(child, [...path, key])]),
  );
}
