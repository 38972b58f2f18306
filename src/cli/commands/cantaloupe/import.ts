// From the properties of Cantaloupe to a configuration of smalti, and a report of what became of each.

import { maskUrls } from "../../../base/index.ts";
import { bySection, commentedYaml, type Setting } from "../yaml/commented-yaml.ts";
import type { DelegateMethod } from "./delegates.ts";
import type { Properties } from "./properties.ts";
import type { Outcome, Row } from "./row.ts";
import { propertyOf, rowOf } from "./table.ts";

/** What became of a property. */
export interface Reported {
  readonly property: string;
  readonly outcome: Outcome;
  /** The settings, if it is taken over. */
  readonly to?: string;
  /** What is different, why it is unneeded, or what to do instead. */
  readonly text?: string;
}

/** A variable of the environment that has to be set before the start. */
export interface Variable {
  readonly name: string;
  readonly text: string;
}

export interface Imported {
  readonly yaml: string;
  readonly properties: readonly Reported[];
  readonly variables: readonly Variable[];
  readonly methods: readonly DelegateMethod[];
}

interface Found extends Reported {
  readonly settings: readonly Setting[];
}

/**
 * Converts properties. `methods` are those of the delegate script, `file` is the name of the properties file.
 * No secret is in the result: the configuration names variables of the environment.
 */
export function importCantaloupe(
  given: Properties,
  {
    file,
    output,
    methods,
  }: { readonly file: string; readonly output: string; readonly methods: readonly DelegateMethod[] },
): Imported {
  const all: Properties = new Map([...given].map(([name, value]) => [propertyOf(name) ?? name, value]));
  const found = withoutLostSources([...all].map(([property, value]) => become(property, value, all)));
  const properties = found.map(({ settings: _, ...reported }) => reported);
  const settings = inOneOrder(found.flatMap((each) => withComments(each, all)));
  const variables = variablesOf(settings, found);
  const yaml = commentedYaml(settings, {
    head: headOf({ file, output, variables }),
    foot: footOf(properties, all, methods),
  });
  return { yaml, properties, variables, methods };
}

const unknown = "neither the sample of Cantaloupe nor smalti knows this property; check its spelling";

/** Returns what becomes of one property. */
function become(property: string, value: string, all: Properties): Found {
  const row = rowOf(property);
  if (!row) return { property, outcome: "missing", text: unknown, settings: [] };
  const outcome = row.choose?.(value, all) ?? usualOutcome(row);
  if (outcome !== "taken") {
    const text = row[outcome];
    return { property, outcome, ...(text !== undefined && { text }), settings: [] };
  }
  try {
    const settings = row.take?.(value, all) ?? [];
    const { to, text } = row;
    return {
      property,
      outcome,
      ...(to !== undefined && { to }),
      ...(text !== undefined && { text }),
      settings,
    };
  } catch (error) {
    return { property, outcome: "missing", text: (error as Error).message, settings: [] };
  }
}

/** Properties of a source, whose settings are those of `source.static` or `source.delegate`. */
const ofSource = /^\w+Source\./;

/** If no source could be taken over, its properties are not taken over either. */
function withoutLostSources(found: readonly Found[]): readonly Found[] {
  if (found.some(({ settings }) => settings.some(({ path }) => path[0] === "sources"))) return found;
  return found.map((each) =>
    each.outcome === "taken" && ofSource.test(each.property)
      ? { property: each.property, outcome: "missing", text: "no source was taken over", settings: [] }
      : each,
  );
}

const usualOutcome = (row: Row): Outcome =>
  row.to !== undefined ? "taken" : row.unneeded !== undefined ? "unneeded" : "missing";

/** Names the property above the first of its settings. */
function withComments({ property, settings }: Found, all: Properties): Setting[] {
  const from = `${property}${valueText(property, all)}`;
  return settings.map((setting, at) =>
    at > 0 ? setting : { ...setting, comment: [from, setting.comment].filter(Boolean).join("\n") },
  );
}

/** Returns ` = value` for a comment, without secrets. */
function valueText(property: string, all: Properties): string {
  const row = rowOf(property);
  if (!row || row.secret) return "";
  // A line break would end the comment.
  return ` = ${maskUrls(all.get(property) ?? "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ")}`;
}

/** Sorts settings by section; if two properties set one, the first counts, and both are named. */
function inOneOrder(settings: readonly Setting[]): Setting[] {
  const byPath = new Map<string, Setting>();
  for (const setting of settings) {
    const name = setting.path.join(".");
    const earlier = byPath.get(name);
    if (!earlier) byPath.set(name, setting);
    else if (setting.comment !== undefined && setting.comment !== earlier.comment)
      byPath.set(name, {
        ...earlier,
        comment: [earlier.comment, setting.comment].filter(Boolean).join("\n"),
      });
  }
  return bySection([...byPath.values()]);
}

/** Returns the variables that the settings name, and those of the operator. */
function variablesOf(settings: readonly Setting[], found: readonly Found[]): Variable[] {
  const named = settings.flatMap(({ path, value }) =>
    String(path.at(-1)).endsWith("_env") && typeof value === "string" ? [value] : [],
  );
  const buckets = settings.some(({ value }) => value === "s3");
  const usualNameOf = (key: string, name: string) =>
    buckets && !settings.some(({ path }) => path.at(-1) === key) ? [name] : [];
  const operator = found.flatMap(({ to, outcome }) =>
    outcome === "taken" && to !== undefined && /^SERVICE_[A-Z_]+$/.test(to) ? [to] : [],
  );
  const names = [
    ...named,
    ...usualNameOf("access_key_env", "AWS_ACCESS_KEY_ID"),
    ...usualNameOf("secret_key_env", "AWS_SECRET_ACCESS_KEY"),
    ...operator,
  ];
  return [...new Set(names)].map((name) => {
    const of = found.filter(({ to, outcome }) => outcome === "taken" && to === name);
    const [first] = of;
    if (!first)
      return {
        name,
        text: "as for other programs that use this bucket; not needed if this machine has a role",
      };
    const isPair = of.length > 1 && first.text !== undefined;
    return {
      name,
      text: isPair
        ? "`Basic $(printf %s 'NAME:PASSWORD' | base64)`, from auth.basic"
        : `the value of ${first.property}`,
    };
  });
}

interface Head {
  readonly file: string;
  readonly output: string;
  readonly variables: readonly Variable[];
}

function headOf({ file, output, variables }: Head): string {
  const secrets = variables.map(({ name, text }) => `  ${name}: ${text}`);
  return [
    `Configuration of smalti, from ${file} of Cantaloupe.`,
    `Check it: smalti check -config ${output}`,
    `Serve:    smalti -config ${output}`,
    ...(secrets.length === 0
      ? []
      : ["", "Secrets are no part of this file. Set these variables of the environment first:", ...secrets]),
  ].join("\n");
}

/** Returns what has no place among the settings: methods of the delegate script, and other properties. */
function footOf(reported: readonly Reported[], all: Properties, methods: readonly DelegateMethod[]): string {
  const script =
    methods.length === 0
      ? []
      : [
          "The delegate script implements these methods. Write them as hooks in JavaScript (hook.engine: js), or name your own web",
          "service (webhook):",
          ...methods.map(({ method, text }) => `  ${method}: ${text}`),
          "",
        ];
  const ofOutcome = (outcome: Outcome) => reported.filter((each) => each.outcome === outcome);
  const missing = ofOutcome("missing").map(
    ({ property, text }) => `  ${property}${valueText(property, all)}: ${text}`,
  );
  const unneeded = new Map<string, string[]>();
  for (const { property, text = "" } of ofOutcome("unneeded"))
    unneeded.set(text, [...(unneeded.get(text) ?? []), property]);
  return [
    ...script,
    ...(missing.length === 0 ? [] : ["Without an equivalent, and what to do instead:", ...missing, ""]),
    ...(unneeded.size === 0
      ? []
      : ["Not needed:", ...[...unneeded].map(([text, names]) => `  ${names.join(", ")}: ${text}`)]),
  ]
    .join("\n")
    .trimEnd();
}
