// The changes that the configuration editor makes to the text of a file.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { editText, readFields } from "../../../src/admin/editing/edit.ts";
import { editableFields } from "../../../src/admin/editing/editable.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import fc from "../../properties.ts";
import { everything } from "../../sampled.ts";
import { seeded } from "../../seeded.ts";

type Env = Readonly<Record<string, string>>;

/**
 * Returns the values that a form of the file sends if only `typed` is entered; a locked field is not sent.
 */
function formOf(text: string, typed: Readonly<Record<string, string>> = {}, env: Env = {}) {
  const shown = readFields(text, env).fields.flatMap(({ field, value, lockedBy }) =>
    lockedBy === undefined ? [[field.path, value] as const] : [],
  );
  return new Map<string, string>([...shown, ...Object.entries(typed)]);
}

const edit = (text: string, typed: Readonly<Record<string, string>>, env: Env = {}) =>
  editText(text, formOf(text, typed, env), env);

/** The new text of an edit that has to succeed. */
function edited(text: string, typed: Readonly<Record<string, string>>, env: Env = {}): string {
  const result = edit(text, typed, env);
  if (result.kind !== "changed") throw new Error(`${result.kind} ${JSON.stringify(result)}`);
  return result.text;
}

const load = (text: string, env: Env = {}) => {
  const { config, problems } = loadConfig(text, env);
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};

describe("the fields", () => {
  // Document of the administration pages, table of editable fields.
  test.each([
    ["Server", "addr", "restart"],
    ["Server", "read_timeout", "restart"],
    ["Server", "write_timeout", "restart"],
    ["Server", "shutdown_timeout", "restart"],
    ["Logging", "log.level", "live"],
    ["Logging", "log.format", "restart"],
    ["Image pipeline", "image.max_pixel_area", "live"],
    ["Image pipeline", "image.max_concurrent", "live"],
    ["Image pipeline", "image.max_output_area", "restart"],
    ["Image pipeline", "image.max_output_width", "restart"],
    ["Image pipeline", "image.max_output_height", "restart"],
    ["Image pipeline", "image.tile_size", "restart"],
  ])("%s has %s, which takes effect: %s", (section, path, when) => {
    expect(editableFields().find((field) => field.path === path)).toMatchObject({ section, edit: when });
  });

  test("are those twelve and no others", () => {
    expect(editableFields()).toHaveLength(12);
  });

  test("know their valid input: choices from the schema, numbers with their limits", () => {
    const controls = Object.fromEntries(editableFields().map(({ path, control }) => [path, control]));
    expect(controls).toMatchObject({
      addr: { kind: "text" },
      "log.level": { kind: "choice", choices: ["debug", "info", "warn", "error"] },
      "image.tile_size": { kind: "count", minimum: 64, maximum: 8192 },
    });
  });

  test("show the values of the file, and defaults for absent keys", () => {
    const values = readFields("addr: :9000\nimage: { tile_size: 0x100 }", {}).fields.map(
      ({ field, value }) => [field.path, value],
    );
    expect(Object.fromEntries(values)).toMatchObject({
      addr: ":9000",
      read_timeout: "30s",
      "image.tile_size": "256",
      "image.max_pixel_area": "1000000000",
    });
  });

  test("of a file with problems show its text, and the problems", () => {
    const { fields, problems, config } = readFields("log: { level: verbose }\nsuorces: []", {});
    expect(fields.find(({ field }) => field.path === "log.level")?.value).toBe("verbose");
    expect(problems.map(({ where }) => where).sort()).toEqual(["log.level", "suorces"]);
    expect(config).toBeUndefined();
  });

  test.each(["a: [", "- 1", "5", "a: 1\na: 2", "log: 5", "image: [1]", "\u0000"])(
    "of %j, which is not a configuration, are the defaults",
    (text) => {
      const { fields, problems } = readFields(text, {});
      expect(fields.map(({ value }) => value)).toEqual(editableFields().map(({ initial }) => initial));
      expect(problems).not.toEqual([]);
      expect(edit(text, { "log.format": "json" }).kind).toBe("refused");
    },
  );
});

describe("an edit", () => {
  test("changes the typed values and nothing else of the file", () => {
    const text = `# our server
addr: ":8080" # behind the proxy
sources:
  - name: "007"
    type: filesystem
    root: ./scans # beside this file
cache:
  render: { backend: filesystem, path: ../cache, max_bytes: 0x100000 }
log:
  level: info # for now
`;
    expect(edited(text, { "log.level": "debug" })).toBe(`# our server
addr: ":8080" # behind the proxy
sources:
  - name: "007"
    type: filesystem
    root: ./scans # beside this file
cache:
  render: { backend: filesystem, path: ../cache, max_bytes: 0x100000 }
log:
  level: debug # for now
`);
  });

  // Spaces, quotes and line ends that a writer of YAML would not choose: they stay.
  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    [
      "a value in a block of its own form",
      { "log.level": "warn" },
      "log:\n     format:   'json'\n     level:    \"info\"   # loud\n\n\nimage:  {tile_size:   256}\n",
      "log:\n     format:   'json'\n     level:    warn   # loud\n\n\nimage:  {tile_size:   256}\n",
    ],
    [
      "a key that is new in its section, behind the last of it",
      { "log.level": "warn" },
      "log:\n    format: json   # for the collector\n    # level: debug\n\naddr:  ':81'\n",
      "log:\n    format: json   # for the collector\n    level: warn\n    # level: debug\n\naddr:  ':81'\n",
    ],
    [
      "a key behind a section of the section",
      { "image.tile_size": "256" },
      "image:\n  sharpen:\n    radius:  1\n# below\nsources: []\n",
      "image:\n  sharpen:\n    radius:  1\n  tile_size: 256\n# below\nsources: []\n",
    ],
    [
      "keys between braces",
      { "image.tile_size": "256", "log.level": "warn" },
      "image: {timeout:  5s}\nlog: {}\n",
      "image: {timeout:  5s, tile_size: 256}\nlog: { level: warn }\n",
    ],
    [
      "a section without a value",
      { "log.level": "warn" },
      "log:\n  # level: debug\naddr:   ':81'\n",
      "log:\n  level: warn\n  # level: debug\naddr:   ':81'\n",
    ],
    [
      "two keys of a section that is new, at the end",
      { "image.tile_size": "256", "image.max_concurrent": "3" },
      "addr:   ':81'",
      "addr:   ':81'\nimage:\n  max_concurrent: 3\n  tile_size: 256\n",
    ],
    [
      "lines that end as on Windows",
      { "log.level": "warn", read_timeout: "5s" },
      "log:\r\n  format:  json\r\naddr:  ':81'\r\n",
      "log:\r\n  format:  json\r\n  level: warn\r\naddr:  ':81'\r\nread_timeout: 5s\r\n",
    ],
    [
      "a file of comments alone",
      { read_timeout: "5s" },
      "#  nothing yet\n",
      "#  nothing yet\nread_timeout: 5s\n",
    ],
  ])("changes %s, and no other byte", (_, typed, before, after) => {
    expect(edited(before, typed)).toBe(after);
  });

  test("names the keys that have another value", () => {
    expect(edit("", { "log.level": "warn", "image.tile_size": "256" })).toMatchObject({
      kind: "changed",
      changed: ["log.level", "image.tile_size"],
    });
  });

  test.each([
    ["", {}],
    ["image: { tile_size: 256 }", { "image.tile_size": "0256" }],
    ["addr: :81", { addr: " :81 " }],
  ])("of %j to an equal value changes nothing", (text, typed) => {
    expect(edit(text, typed)).toEqual({ kind: "unchanged" });
  });

  test.each(["", "# nothing yet\n", "---\n", "{}", "log:\nimage: ~\n", '{"log": {"level": "info"}}'])(
    "of %j creates missing sections",
    (text) => {
      const result = load(edited(text, { "log.level": "error", "image.max_concurrent": "3" }));
      expect(result).toEqual({
        ...load(""),
        log: { ...load("").log, level: "error" },
        image: { ...load("").image, max_concurrent: 3 },
      });
    },
  );

  test("of a value shared by an alias leaves the others unchanged", () => {
    const text = "read_timeout: &time 20s\nwrite_timeout: *time\nshutdown_timeout: *time\n";
    expect(load(edited(text, { read_timeout: "5s" }))).toMatchObject({
      read_timeout: "5s",
      write_timeout: "20s",
      shutdown_timeout: "20s",
    });
    expect(load(edited(text, { write_timeout: "5s" }))).toMatchObject({
      read_timeout: "20s",
      write_timeout: "5s",
      shutdown_timeout: "20s",
    });
  });

  test("keeps anchors and aliases that have nothing to do with it", () => {
    const text =
      "sources:\n  - &a { name: a, type: filesystem, root: x }\ntrusted_proxies: &p [10.0.0.0/8]\nhttp:\n  frame_ancestors: [ '*' ]\nauth: { trusted_proxies: *p }\n";
    expect(edited(text, { "log.level": "warn" })).toContain("trusted_proxies: *p");
  });

  test.each(["log: { level: verbose }", "log: { level: [debug] }"])("corrects a mistake in %s", (text) => {
    expect(load(edited(text, { "log.level": "debug" })).log.level).toBe("debug");
  });
});

describe("a value that is refused", () => {
  test.each([
    ["addr", "8080", "expected an address"],
    ["addr", "", "expected an address"],
    ["addr", "~", "expected an address"],
    ["addr", "null", "expected an address"],
    ["addr", ":8080\nbase_url: https://example.org", "expected an address"],
    ["addr", "*a", "expected an address"],
    ["read_timeout", "soon", "expected a duration"],
    ["write_timeout", "30", "expected a duration"],
    ["shutdown_timeout", "{}", "expected a duration"],
    ["log.level", "loud", 'expected "debug" or "info" or "warn" or "error", received "loud"'],
    ["log.format", "yes", 'expected "text" or "json"'],
    ["image.max_pixel_area", "-1", "expected at least 0"],
    ["image.max_pixel_area", "0x10", 'expected a number, received "0x10"'],
    ["image.max_pixel_area", "1e3", "expected a number"],
    ["image.max_pixel_area", "1.5", "expected a whole number"],
    ["image.max_pixel_area", "", "expected a number"],
    ["image.max_output_area", "99999999999999999999", "expected at most"],
    ["image.max_output_width", "wide", "expected a number"],
    ["image.max_output_height", "[1]", "expected a number"],
    ["image.max_concurrent", "1025", "expected at most 1024"],
    ["image.tile_size", "63", "expected at least 64"],
    ["image.tile_size", "true", "expected a number"],
  ])("%s: %j is reported at its field", (path, value, message) => {
    const result = edit("", { [path]: value });
    expect(result.kind).toBe("refused");
    if (result.kind !== "refused") return;
    expect([...result.wrong.keys()]).toEqual([path]);
    expect(result.wrong.get(path)).toContain(message);
    expect(result.others).toEqual([]);
  });

  test("is reported with all others, and with other problems of the file", () => {
    const result = edit("suorces: []", { addr: "x", "image.tile_size": "1" });
    expect(result).toMatchObject({ kind: "refused", others: [{ where: "suorces" }] });
    expect(result.kind === "refused" && [...result.wrong.keys()]).toEqual(["addr", "image.tile_size"]);
  });

  test("and a missing field are both reported, not crashes", () => {
    const result = editText("", new Map([["addr", ":80"]]), {});
    expect(result.kind === "refused" && result.wrong.size).toBe(11);
  });

  test.each([
    "sources: [{ name: web, type: http, url: 'ftp://user:hunter2@example.org/{identifier}' }]",
    "'https://user:hunter2@example.org/': 5",
  ])("does not show a secret of %s", (text) => {
    const result = edit(text, { "log.level": "warn" });
    expect(result.kind).toBe("refused");
    expect(JSON.stringify([result, readFields(text, {}).problems])).not.toContain("hunter2");
  });
});

describe("a variable that overrides the file", () => {
  // Settings of the document of the administration pages: these four, one at a time.
  const variables = [
    ["addr", "SERVICE_ADDR", "127.0.0.1:9999"],
    ["log.level", "SERVICE_LOG_LEVEL", "error"],
    ["log.format", "SERVICE_LOG_FORMAT", "json"],
    ["image.max_pixel_area", "SERVICE_MAX_PIXEL_AREA", "424242"],
  ] as const;

  test.each(variables)("locks %s and no other field", (path, variable, value) => {
    const fields = readFields("", { [variable]: value }).fields.filter(({ lockedBy }) => lockedBy);
    expect(fields).toMatchObject([{ field: { path }, lockedBy: variable, value }]);
  });

  test.each(variables)("for %s never gets into the file", (path, variable, value) => {
    const env = { [variable]: value };
    const text = edited("", { read_timeout: "7s" }, env);
    expect(text).not.toContain(value);
    expect(text).not.toMatch(new RegExp(`\\b${path.split(".").at(-1)}:`));
    expect(load(text)).toEqual({ ...load(""), read_timeout: "7s" });
  });

  test.each(variables)("leaves the file's value of %s unchanged", (path, variable, value) => {
    const own = { addr: ":1234", "log.level": "warn", "log.format": "text", "image.max_pixel_area": "77" };
    const [section, key] = path.split(".");
    const text = key ? `${section}: { ${key}: ${own[path]} }` : `${section}: ${own[path]}`;
    expect(load(edited(text, { read_timeout: "7s" }, { [variable]: value }))).toEqual({
      ...load(text),
      read_timeout: "7s",
    });
  });

  test.each(variables)(
    "refuses another value of %s, and takes its own for unchanged",
    (path, variable, value) => {
      const other = path === "addr" ? ":1" : path === "image.max_pixel_area" ? "1" : "text";
      const refused = edit("", { [path]: other }, { [variable]: value });
      expect(refused.kind === "refused" && refused.wrong.get(path)).toContain(variable);
      expect(edit("", { [path]: value }, { [variable]: value })).toEqual({ kind: "unchanged" });
    },
  );

  test("counts only if it is not empty", () => {
    expect(readFields("", { SERVICE_ADDR: "" }).fields.some(({ lockedBy }) => lockedBy)).toBe(false);
  });
});

describe("over the examples of the docs", () => {
  const docs = new URL("../../../docs/", import.meta.url);
  const examples = readdirSync(docs, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const text = /\.(md|ya?ml)$/.test(name) ? readFileSync(new URL(name, docs), "utf8") : "";
    if (!name.endsWith(".md")) return [text];
    return [...text.matchAll(/```ya?ml[^\n]*\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
  });
  /** Every variable that an example names is set. */
  const env = new Proxy<Env>({}, { get: (_, name) => (`${String(name)}`.startsWith("SERVICE_") ? "" : "x") });
  const valid = examples.filter((text) => loadConfig(text, env).config !== undefined);

  test("there are some", () => {
    expect(valid.length).toBeGreaterThan(10);
  });

  test("a save preserves all other keys and every comment", () => {
    const below = seeded(5);
    for (const text of valid) {
      const commented = text.split("\n").flatMap((line, at) => {
        const pick = below(6);
        if (pick === 0) return [`${" ".repeat(below(6))}# note ${at}.`, line];
        return [pick === 1 && /^\s*[\w-]+: *[^|>#&]+$/.test(line) ? `${line} # note ${at}.` : line];
      });
      const before = commented.join(below(2) === 0 ? "\n" : "\r\n");
      if (!loadConfig(before, env).config) continue; // the note has become part of a block of text
      const after = edited(before, { shutdown_timeout: "11s", "image.tile_size": "333" }, env);
      const { config } = loadConfig(before, env);
      expect(loadConfig(after, env).config).toEqual({
        ...config,
        shutdown_timeout: "11s",
        image: { ...config?.image, tile_size: 333 },
      });
      for (const note of before.match(/note \d+\./g) ?? []) expect(after).toContain(note);
    }
  });
});

describe("over many files", () => {
  const name = fc.constantFrom(
    "a",
    "007",
    "yes",
    "null",
    "1e3",
    "with: colon",
    "#x",
    "Zürich",
    "- x",
    "~",
    "0x1F",
  );
  const duration = fc.constantFrom("5s", "20m", "1h", "7d", "0s");
  const source = fc.record({
    type: fc.constant("filesystem"),
    root: fc.constantFrom("./scans", "../a b", "/srv/images", "C:\\scans", "~/x", "'q'", "new\nline"),
  });
  const web = fc.record({
    type: fc.constant("http"),
    url: fc.constant("https://example.org/get?key=s3cret&id={identifier}"),
    headers: fc.constantFrom({ "X-Key": "hunter2" }, { Authorization: "Bearer: 'x' # no" }),
  });
  const file = fc
    .record(
      {
        addr: fc.constantFrom(":8080", "[::1]:80", "localhost:0"),
        read_timeout: duration,
        write_timeout: duration,
        trusted_proxies: fc.array(fc.constantFrom("::1", "10.0.0.0/8")),
        log: fc.record(
          { level: fc.constantFrom("warn", "debug"), requests: fc.boolean() },
          { requiredKeys: [] },
        ),
        image: fc.record(
          {
            tile_size: fc.integer({ min: 64, max: 8192 }),
            depth: fc.constantFrom("8", "source"),
            sharpen: fc.constantFrom("on", "off", { radius: 1 }),
            memory_budget: fc.constantFrom("1GiB", 1048576, ""),
          },
          { requiredKeys: [] },
        ),
        sources: fc
          .uniqueArray(fc.tuple(name, fc.oneof(source, web)), { selector: ([name]) => name, maxLength: 3 })
          .map((each) =>
            each.map(([name, rest], at) => ({ name, ...rest, ...(at > 0 && { prefix: `p${at}/` }) })),
          ),
        cache: fc.constantFrom(
          { render: { backend: "filesystem", path: "../a: b", max_bytes: "1GiB" } },
          { info: { backend: "filesystem", path: "./cache" } },
        ),
        content_state: fc.constant({
          store: { enabled: true, dir: "kept", write_token: "'it is\" secret'" },
        }),
      },
      { requiredKeys: [] },
    )
    .filter((value) => loadConfig(stringify(value), {}).config !== undefined);
  const style = fc.constantFrom(
    { lineWidth: 0 },
    { lineWidth: 20, indent: 4 },
    { collectionStyle: "flow" as const },
    { defaultStringType: "QUOTE_SINGLE" as const, defaultKeyType: "PLAIN" as const },
    { defaultStringType: "QUOTE_DOUBLE" as const, indentSeq: false },
  );
  const text = fc.tuple(file, style).map(([value, style]) => stringify(value, style));
  const env = fc.constantFrom<Env>({}, { SERVICE_ADDR: "127.0.0.1:4711" }, { SERVICE_LOG_LEVEL: "error" });

  test("a save that changes nothing else loads to the same configuration, without the environment", () => {
    fc.assert(
      fc.property(text, env, fc.constantFrom("11s", "13m"), (text, env, shutdown) => {
        const after = edited(text, { shutdown_timeout: shutdown }, env);
        expect(load(after)).toEqual({ ...load(text), shutdown_timeout: shutdown });
        for (const value of Object.values(env).filter((value) => !text.includes(value)))
          expect(after).not.toContain(`: ${value}`);
      }),
      { numRuns: everything ? 60 : 15 },
    );
  });

  test("a repeated save changes nothing, and the written file survives a round trip", () => {
    fc.assert(
      fc.property(text, env, (text, env) => {
        const once = edited(text, { shutdown_timeout: "11s" }, env);
        expect(edit(once, {}, env)).toEqual({ kind: "unchanged" });
        const back = edited(once, { shutdown_timeout: "12s" }, env);
        expect(back).toBe(once.replace(/(shutdown_timeout['"]?: )11s/, "$112s"));
      }),
      { numRuns: everything ? 60 : 15 },
    );
  });

  test("whatever is typed is refused or loads as that", () => {
    const typed = fc.tuple(
      fc.constantFrom(...editableFields().map(({ path }) => path)),
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.nat().map(String),
        fc.constantFrom("~", "!!int 5", "&a x", "*a", "{a: b}", "5s # x", "'", '"', "\t", "yes", "5s\n\n"),
      ),
    );
    fc.assert(
      fc.property(text, typed, (text, [path, value]) => {
        const result = edit(text, { [path]: value });
        if (result.kind !== "changed") return;
        const now = readFields(result.text, {}).fields.find(({ field }) => field.path === path)?.value;
        expect(now).toBe(value.trim().replace(/^0+(?=\d+$)/, ""));
      }),
      { numRuns: everything ? 60 : 15 },
    );
  });
});
