// Records with free names: each walk along a schema visits them. The schema is made for these tests.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { keyTable } from "../../../scripts/key-table.mjs";
import { durationOption, pathOption } from "../../../src/base/options/option-types.ts";
import { mask } from "../../../src/server/config/effective.ts";
import { loadSettings } from "../../../src/server/config/reading/load.ts";
import { absolutePaths } from "../../../src/server/config/reading/paths.ts";
import { leaves, nodesAt, treeOf } from "../../../src/server/config/walk.ts";

const note = (description: string) => ({ description, edit: "restart" as const });

const login = z.discriminatedUnion("backend", [
  z.strictObject({
    backend: z.literal("builtin").meta(note("Passwords here.")),
    users: z
      .record(z.string(), z.string().regex(/^\$2b\$/, "expected a bcrypt hash"))
      .default({})
      .meta({ ...note("Names and hashes."), secret: true }),
    template: pathOption.default("").meta(note("Page.")),
  }),
  z.strictObject({
    backend: z.literal("oidc").meta(note("A provider.")),
    client_id: z.string().meta(note("Its name for us.")),
    client_secret_env: z.string().default("").meta(note("Variable with the secret.")),
    // Nothing of this machine: the other member's template is a file.
    template: z.string().default("").meta(note("Address of a page.")),
  }),
]);

const profile = z.strictObject({
  pattern: z.enum(["active", "kiosk"]).default("active").meta(note("Kind.")),
  strict: z.boolean().default(false).meta(note("Whether.")),
  depth: z.string().default("8").meta(note("Bits.")),
  token_ttl: durationOption.default("5m").meta({ ...note("Life."), env: "SERVICE_TOKEN_TTL" }),
  label: z
    .union([z.string(), z.record(z.string(), z.array(z.string()))])
    .default("")
    .meta(note("Title, by language.")),
  login,
  note: z.string().optional().meta(note("For colleagues.")),
});

const schema = z.strictObject({
  auth: z
    .strictObject({
      profiles: z
        .record(z.string().regex(/^[a-z0-9_. -]+$/i, "expected letters and digits"), profile)
        .default({}),
    })
    .prefault({}),
});

const tree = treeOf(schema);
const top = nodesAt(tree, []);

const load = (yaml: string, env: Record<string, string> = {}) => loadSettings(schema, yaml, env);

function accepted(yaml: string, env: Record<string, string> = {}): z.output<typeof schema> {
  const { config, problems } = load(yaml, env);
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
}

const problems = (yaml: string, env: Record<string, string> = {}): string[] =>
  (load(yaml, env).problems ?? []).map(({ where, text }) => `${where}: ${text}`);

const profiles = (...items: readonly string[]) => `auth: { profiles: { ${items.join(", ")} } }`;
const builtin = (name: string, more = "", users = "{}") =>
  `${name}: { login: { backend: builtin, users: ${users} }${more} }`;

describe("a variable that a key names", () => {
  const oidc = profiles("p: { login: { backend: oidc, client_id: x, client_secret_env: SECRET } }");

  test("has to be set, and is reported with its position", () => {
    expect(problems(oidc)).toEqual([
      "auth.profiles.p.login.client_secret_env: the environment variable SECRET is not set; set it to the secret, or remove this key",
    ]);
    expect(problems(oidc, { SECRET: "s" })).toEqual([]);
  });

  test("does not match a free name with the same ending", () => {
    expect(problems(profiles(builtin("x_env", "", '{ x_env: "$2b$x", y_env: "$2b$y" }')))).toEqual([]);
  });
});

describe("secrets", () => {
  const yaml = profiles(
    builtin("staff", "", '{ ann: "$2b$hunter2", x_env: "$2b$hunter3" }'),
    "campus: { login: { backend: oidc, client_id: visible } }",
  );

  test("are masked under every name; their names and other values are not", () => {
    const shown = JSON.stringify(mask(accepted(yaml), top));
    expect(shown).not.toContain("hunter");
    expect(shown).toContain('"users":{"ann":"***","x_env":"***"}');
    expect(shown).toContain('"client_id":"visible"');
  });

  test("are not quoted by a problem", () => {
    expect(problems(profiles(builtin("staff", "", "{ ann: hunter2 }")))).toEqual([
      "auth.profiles.staff.login.users.ann: expected a bcrypt hash, received another value",
    ]);
  });
});

test("relative paths become absolute under every name, and only if the member of a union has a path", () => {
  const page = "template: pages/login.html";
  const yaml = profiles(
    `a: { login: { backend: builtin, ${page} } }`,
    `b: { login: { backend: oidc, client_id: x, ${page} } }`,
    "c: { login: { backend: builtin } }",
  );
  const { auth } = absolutePaths(accepted(yaml), top, "/etc/smalti") as z.output<typeof schema>;
  expect(Object.values(auth.profiles).map((each) => each.login.template)).toEqual([
    "/etc/smalti/pages/login.html",
    "pages/login.html",
    "",
  ]);
});

describe("a variable of the environment", () => {
  const env = { SERVICE_TOKEN_TTL: "9m" };
  const ttls = (config: z.output<typeof schema>) =>
    Object.entries(config.auth.profiles).map(([name, { token_ttl }]) => [name, token_ttl]);

  test("overrides a key under each name in the file, and creates none", () => {
    const yaml = profiles(builtin("staff", ", token_ttl: 1m"), builtin('"a.b"'));
    expect(ttls(accepted(yaml, env))).toEqual([
      ["staff", "9m"],
      ["a.b", "9m"],
    ]);
    expect(load(yaml, env)).toMatchObject({
      overridden: ["auth.profiles.staff.token_ttl", 'auth.profiles."a.b".token_ttl'],
    });
    expect(accepted("", env)).toEqual({ auth: { profiles: {} } });
    expect(load("", env)).toMatchObject({ overridden: [] });
  });

  test("is named if its value is wrong", () => {
    expect(problems(profiles(builtin("staff")), { SERVICE_TOKEN_TTL: "soon" })).toEqual([
      expect.stringMatching(/^auth\.profiles\.staff\.token_ttl: .*"soon" \(from SERVICE_TOKEN_TTL\)$/),
    ]);
  });
});

describe("a problem under a free name", () => {
  test.each([
    [builtin("staff", ", patern: kiosk"), 'auth.profiles.staff.patern: unknown key; did you mean "pattern"?'],
    [
      builtin("Reading Room", ", zzzzzzz: 1"),
      'auth.profiles."Reading Room".zzzzzzz: unknown key; known keys here: pattern, strict, depth, token_ttl, label, login, note',
    ],
    [
      "staff: { login: { backend: builtin, client_id: x } }",
      "auth.profiles.staff.login.client_id: unknown key; it belongs to oidc",
    ],
    [
      "staff: { login: { backend: ldap } }",
      'auth.profiles.staff.login.backend: expected "builtin" or "oidc", received "ldap"',
    ],
    ["staff: ", "auth.profiles.staff: expected keys and values, received nothing"],
    [builtin('"a/b"'), 'auth.profiles."a/b": expected letters and digits as its name'],
  ])("of %s is reported with its key", (yaml, problem) => {
    expect(problems(profiles(yaml))).toEqual([problem]);
  });

  test("does not count a known key without a value", () => {
    expect(problems(profiles("staff: { pattern: , login: { backend: builtin } }"))).toEqual([]);
  });
});

test("scalars are taken as they are meant under every name", () => {
  const more = ", strict: yes, depth: 16, label: { en: [2024, true] }";
  expect(accepted(profiles(builtin("staff", more))).auth.profiles.staff).toMatchObject({
    strict: true,
    depth: "16",
    label: { en: ["2024", "true"] },
  });
});

test("a free name is the literal text, whatever number or boolean it looks like", () => {
  const names = ["007", "1e3", "0x10", "1.50", "true", "null", "constructor"];
  const yaml = `auth:\n  profiles:\n${names.map((name) => `    ${builtin(name)}\n`).join("")}`;
  expect(Object.keys(accepted(yaml).auth.profiles)).toEqual(names);
});

describe("the reference", () => {
  test("has a row for each key below the names, and one for a record of plain values", () => {
    const all = leaves(tree);
    expect(all.map(({ path }) => path)).toEqual([
      "auth.profiles.*.pattern",
      "auth.profiles.*.strict",
      "auth.profiles.*.depth",
      "auth.profiles.*.token_ttl",
      "auth.profiles.*.label",
      "auth.profiles.*.login.backend",
      "auth.profiles.*.login.users",
      "auth.profiles.*.login.template",
      "auth.profiles.*.login.client_id",
      "auth.profiles.*.login.client_secret_env",
      "auth.profiles.*.note",
    ]);
    const table = keyTable(all);
    expect(table).toContain(
      "| `auth.profiles.*.login.users` | names with text | `{}` | `builtin`: Names and hashes. |",
    );
    expect(table).toContain(
      "| `auth.profiles.*.token_ttl` | duration | `5m` | Life. Environment: `SERVICE_TOKEN_TTL`. |",
    );
  });

  test("distinguishes required keys from optional ones", () => {
    const table = keyTable(leaves(tree));
    expect(table).toContain("| `auth.profiles.*.login.client_id` | text | required |");
    expect(table).toContain("| `auth.profiles.*.note` | text | none |");
  });

  test("marks everything in a live record as live", () => {
    const hooks = z.record(z.string(), z.strictObject({ url: z.string() })).meta({ edit: "live" });
    expect(keyTable(leaves(treeOf(z.strictObject({ hooks }))))).toContain("| `hooks.*.url` ↻ |");
  });

  test("as a JSON Schema describes the values under a name", () => {
    const { additionalProperties } = tree.properties?.auth?.properties?.profiles ?? {};
    expect(additionalProperties).toMatchObject({
      type: "object",
      required: ["login"],
      additionalProperties: false,
    });
  });
});
