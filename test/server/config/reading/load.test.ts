import { describe, expect, test } from "vitest";
import { type LoadedConfig, loadConfig, problemLines } from "../../../../src/server/config/reading/load.ts";
import { configWarnings } from "../../../../src/server/config/reading/warnings.ts";

const load = (yaml: string | undefined, env: Record<string, string> = {}): LoadedConfig =>
  loadConfig(yaml, env);

/** `path: message` of each problem; [] for a configuration that is accepted. */
const problems = (yaml: string, env: Record<string, string> = {}): string[] =>
  (load(yaml, env).problems ?? []).map(({ where, text }) => `${where}: ${text}`);

const accepted = (yaml: string | undefined, env: Record<string, string> = {}) => {
  const { config, problems } = load(yaml, env);
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};

describe("a configuration without values", () => {
  test.each([undefined, "", "\n", "# only a comment\n", "---\n", "{}", "image:\nsources:\nlog:\n  level:\n"])(
    "%j equals the one with all defaults",
    (yaml) => {
      expect(accepted(yaml)).toMatchObject({
        addr: ":8080",
        base_url: "",
        trusted_proxies: [],
        aliases: [],
        read_timeout: "30s",
        write_timeout: "60s",
        shutdown_timeout: "15s",
        log: { level: "info", format: "text" },
        http: { image_max_age: "24h", info_max_age: "1h" },
        limits: { max_in_flight: 0, max_in_flight_per_ip: 0, max_wait: "20s" },
        image: {
          max_pixel_area: 1_000_000_000,
          max_output_area: 0,
          max_output_width: 0,
          max_output_height: 0,
          tile_size: 512,
          max_concurrent: 0,
          memory_budget: "",
          timeout: "60s",
          depth: "8",
          background: "#ffffff",
          jpeg_progressive: false,
          jpeg_encoder: "fast",
          jpeg_chroma: "420",
        },
        sources: [],
        cache: {
          render: { backend: "heap", max_bytes: "", ttl: "24h" },
          info: { backend: "heap", max_bytes: "", ttl: "24h" },
          origin: { backend: "filesystem", path: "", max_bytes: "", ttl: "7d" },
          text: { backend: "heap", max_bytes: "", ttl: "0s" },
          changes: { backend: "heap", max_bytes: "", ttl: "0s" },
        },
      });
    },
  );
});

describe("value forms", () => {
  test.each(["500ms", "30s", "5m", "24h", "7d", "0s"])("%s is a duration", (text) => {
    expect(accepted(`read_timeout: ${text}`).read_timeout).toBe(text);
    expect(accepted(`read_timeout: "${text}"`).read_timeout).toBe(text);
  });

  test.each(["30", "1.5h", "-1s", "1w", "5 m", "1m30s", "1H", "true", "[5s]", '""'])(
    "%s is no duration",
    (text) => {
      expect(problems(`read_timeout: ${text}`)).toEqual([
        expect.stringMatching(
          /^read_timeout: expected a duration such as 500ms, 30s, 5m, 24h or 7d, received /,
        ),
      ]);
    },
  );

  test.each([
    ["64KiB", "64KiB"],
    ["256MiB", "256MiB"],
    ["10GiB", "10GiB"],
    ["1048576", 1_048_576],
    ['"1048576"', "1048576"],
    ["0", 0],
  ])("%s is a size", (text, value) => {
    expect(accepted(`cache: { render: { backend: heap, max_bytes: ${text} } }`).cache.render).toMatchObject({
      max_bytes: value,
    });
    expect(accepted(`image: { memory_budget: ${text} }`).image.memory_budget).toBe(value);
  });

  test.each(["1MB", "1.5MiB", "-1", "1.5", "1 MiB", "lots", "true", "[]"])("%s is no size", (text) => {
    for (const key of ["cache.render.max_bytes", "image.memory_budget"] as const) {
      const yaml =
        key === "image.memory_budget"
          ? `image: { memory_budget: ${text} }`
          : `cache: { render: { backend: heap, max_bytes: ${text} } }`;
      const [problem, ...more] = problems(yaml);
      expect(problem).toContain(
        `${key}: expected a size such as 64KiB, 256MiB, 10GiB or a number of bytes, received `,
      );
      expect(more).toEqual([]);
    }
  });

  test.each([":8080", "127.0.0.1:8080", '"[::1]:8080"', "localhost:0"])("%s is an address", (text) => {
    expect(problems(`addr: ${text}`)).toEqual([]);
  });

  test.each(["8080", "localhost", '"::1:8080"', ":99999", "http://localhost:8080", '":8080 "'])(
    "%s is no address, and the message shows one",
    (text) => {
      expect(problems(`addr: ${text}`)).toEqual([
        expect.stringContaining(
          "addr: expected an address such as :8080, 127.0.0.1:8080 or [::1]:8080, received ",
        ),
      ]);
    },
  );

  test.each(["https://images.example.org", "http://localhost:8080/iiif-server/", '""'])(
    "%s is a base URL",
    (text) => expect(problems(`base_url: ${text}`)).toEqual([]),
  );

  test.each([
    "images.example.org",
    "ftp://example.org",
    "https://example.org/?a=b",
    "https://example.org/?",
    "https://example.org/#a",
    "https://user@example.org/",
    "https://:pass@example.org/",
    "7",
  ])("%s is no base URL", (text) =>
    expect(problems(`base_url: "${text}"`)).toEqual([
      expect.stringContaining("base_url: expected an http or https URL"),
    ]),
  );

  test.each([
    ["https://x.org/ä ö", "https://x.org/%C3%A4%20%C3%B6"],
    ["https://bücher.example", "https://xn--bcher-kva.example/"],
    [" https://x.org", "https://x.org/"],
    ["https:\\\\\\\\x.org", "https://x.org/"],
  ])("%s is no base URL, since ids would not be URIs", (text, encoded) =>
    expect(problems(`base_url: "${text}"`)).toEqual([expect.stringContaining(`write ${encoded}`)]),
  );

  test.each(["#ffffff", "#0A0b0C"])("%s is a colour", (text) =>
    expect(problems(`image: { background: "${text}" }`)).toEqual([]),
  );

  test.each(["white", "#fff", "ffffff", "#gggggg"])("%s is no colour", (text) =>
    expect(problems(`image: { background: "${text}" }`)).toEqual([
      `image.background: expected a colour as #rrggbb, received "${text}"`,
    ]),
  );
});

describe("scalars that YAML reads as something else than is meant", () => {
  const source = (name: string) => accepted(`sources: [{ name: ${name}, type: filesystem, root: x }]`);

  test.each([
    ["image: { depth: 8 }", { image: { depth: "8" } }],
    ["image: { jpeg_chroma: 444 }", { image: { jpeg_chroma: "444" } }],
    ["image: { tile_size: '256' }", { image: { tile_size: 256 } }],
    ["image: { sharpen: { radius: '0.75' } }", { image: { sharpen: { radius: 0.75 } } }],
    ["image: { supersample: '4' }", { image: { supersample: 4 } }],
    ["aliases: [{ prefix: /a/, version: '2' }]", { aliases: [{ version: 2 }] }],
    ["image: { memory_budget: 1048576 }", { image: { memory_budget: 1_048_576 } }],
  ])("%s is taken as the number or word of the schema", (yaml, expected) => {
    expect(accepted(yaml)).toMatchObject(expected);
  });

  // YAML 1.1, type bool (yaml.org/type/bool.html): these words are true and false there, strings in YAML 1.2.
  test.each([
    ["yes", true],
    ["Yes", true],
    ["on", true],
    ["ON", true],
    ["'true'", true],
    ["no", false],
    ["off", false],
    ["'false'", false],
  ])("jpeg_progressive: %s is %s", (text, expected) => {
    expect(accepted(`image: { jpeg_progressive: ${text} }`).image.jpeg_progressive).toBe(expected);
  });

  test.each([
    ["linear: false", { linear: "off" }],
    ["linear: true", { linear: "on" }],
    ["sharpen: true", { sharpen: "on" }],
    ["window: false", { window: "off" }],
    ["supersample: false", { supersample: "off" }],
    ["supersample: 0", { supersample: "off" }],
    ["supersample: no", { supersample: "off" }],
    ["jpeg_passthrough: false", { jpeg_passthrough: "off" }],
  ])("%s is the switch of that name", (text, expected) => {
    expect(accepted(`image: { ${text} }`).image).toMatchObject(expected);
  });

  test("text is the literal text, whatever number or boolean it looks like", () => {
    for (const name of ["2024", "007", "1e3", "0x10", "1.50", "true"])
      expect(source(name).sources[0]?.name).toBe(name);
    const headers = "headers: { X-Version: 2, X-Code: 010, X-Flag: true }";
    const web = `sources: [{ name: a, type: http, url: "http://x/{identifier}", ${headers} }]`;
    expect(accepted(web).sources[0]).toMatchObject({
      headers: { "X-Version": "2", "X-Code": "010", "X-Flag": "true" },
    });
  });

  test.each([
    ["image: { depth: 16 }", 'image.depth: expected "8" or "source", received the number 16'],
    ["image: { tile_size: 0512px }", 'image.tile_size: expected a number, received "0512px"'],
    ["image: { tile_size: '' }", 'image.tile_size: expected a number, received ""'],
    ["image: { tile_size: true }", "image.tile_size: expected a number, received the boolean true"],
    [
      "image: { jpeg_progressive: 1 }",
      "image.jpeg_progressive: expected true or false, received the number 1",
    ],
    ["image: { depth: false }", 'image.depth: expected "8" or "source", received the boolean false'],
    ["log: { level: on }", 'log.level: expected "debug" or "info" or "warn" or "error", received "on"'],
    ["log: 5", "log: expected keys and values, received the number 5"],
    ["sources: off", 'sources: expected a list (lines that begin with -), received "off"'],
  ])("%s has no other interpretation and is refused", (yaml, message) => {
    expect(problems(yaml)).toEqual([message]);
  });
});

describe("secrets in a wrong value", () => {
  test.each([
    ['base_url: "https://user:hunter2@example.org/"', "https://***@example.org/"],
    ['base_url: "https://example.org/?key=hunter2"', "https://example.org/?key=***"],
    [`base_url: "https://user:hunter2@${"x".repeat(80)}.example.org/"`, "https://***@xxx"],
    ['cache: { info: { backend: redis, addr: "user:hunter2@redis:6379" } }', "***@redis:6379"],
    ['cache: { info: { backend: redis, addr: "rediss://:hunter2@redis" } }', "rediss://***@redis"],
    [
      'cache: { info: { backend: s3, bucket: tiles, endpoint: "https://s3/?sig=hunter2" } }',
      "https://s3/?sig=***",
    ],
    [
      'sources: [{ name: a, type: http, url: "https://user:hunter2@example.org/{identifier}" }]',
      "https://***@example.org/{identifier}",
    ],
  ])("of %s are masked in the message", (yaml, shown) => {
    const text = problemLines(
      load(yaml, { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" }).problems ?? [],
      "x",
    );
    expect(text).toContain(shown);
    expect(text).not.toContain("hunter2");
  });
});

describe("a cache slot that is written in part", () => {
  const slots = accepted("").cache;

  test.each([
    ["render: { max_bytes: 1GiB }", { ...slots, render: { ...slots.render, max_bytes: "1GiB" } }],
    ["info: {}", slots],
    ["info: { backend: }", slots],
    ["origin: { ttl: 1d }", { ...slots, origin: { ...slots.origin, ttl: "1d" } }],
    ["origin: { path: /srv/cache }", { ...slots, origin: { ...slots.origin, path: "/srv/cache" } }],
    ["origin: { backend: heap }", { ...slots, origin: { backend: "heap", max_bytes: "", ttl: "7d" } }],
    ["origin: { backend: none }", { ...slots, origin: { backend: "none" } }],
  ])("%s keeps everything else of the slot, or the defaults of the named backend", (text, expected) => {
    expect(accepted(`cache: { ${text} }`).cache).toEqual(expected);
  });

  test.each([
    ["render: { path: x }", "cache.render.path: unknown key; it belongs to filesystem"],
    ["origin: { addr: 'x:1' }", "cache.origin.addr: unknown key; it belongs to redis"],
    ["origin: { max_byte: 1 }", 'cache.origin.max_byte: unknown key; did you mean "max_bytes"?'],
    [
      "info: { backend: disk }",
      'cache.info.backend: expected "heap" or "filesystem" or "redis" or "s3" or "none", received "disk"',
    ],
  ])("%s is refused by the key that is wrong", (text, message) => {
    expect(problems(`cache: { ${text} }`)).toEqual([message]);
  });
});

describe("unknown keys", () => {
  test.each([
    ["adr: x", 'adr: unknown key; did you mean "addr"?'],
    ["image: { tile_sise: 3 }", 'image.tile_sise: unknown key; did you mean "tile_size"?'],
    ["image: { max-pixel-area: 3 }", 'image.max-pixel-area: unknown key; did you mean "max_pixel_area"?'],
    ["image: { Tile_Size: 3 }", 'image.Tile_Size: unknown key; did you mean "tile_size"?'],
    ["adr:", 'adr: unknown key; did you mean "addr"?'],
    [
      "aliases: [{ prefix: /a/, version: 2, verison: 3 }]",
      'aliases.0.verison: unknown key; did you mean "version"?',
    ],
    [
      "sources: [{ name: a, type: filesystem, root: x, prefx: y/ }]",
      'sources.0.prefx: unknown key; did you mean "prefix"?',
    ],
    [
      "cache: { render: { backend: heap, max_byte: 3 } }",
      'cache.render.max_byte: unknown key; did you mean "max_bytes"?',
    ],
    [
      "cache: { info: { backend: heap, prefix: x } }",
      "cache.info.prefix: unknown key; it belongs to redis, s3",
    ],
    [
      'sources: [{ name: a, type: http, url: "https://x/{identifier}", root: . }]',
      "sources.0.root: unknown key; it belongs to filesystem",
    ],
    ["12: 3", /^12: unknown key; known keys here: addr, base_url, /],
    [
      "limits: { zzzzzzzzzzzz: 3 }",
      "limits.zzzzzzzzzzzz: unknown key; known keys here: max_in_flight, max_in_flight_per_ip, max_wait",
    ],
    ["__proto__: { x: 1 }", /^__proto__: unknown key; known keys here/],
    ["constructor: 1", /^constructor: unknown key; known keys here/],
  ])("%s is reported by its path, with the probable intention", (yaml, message) => {
    expect(problems(yaml)).toEqual([typeof message === "string" ? message : expect.stringMatching(message)]);
  });

  test("a key that belongs to another member of a union is refused", () => {
    expect(problems("cache: { render: { backend: heap, path: ./x } }")).toEqual([
      expect.stringContaining("cache.render.path: unknown key"),
    ]);
  });
});

describe("wrong values", () => {
  test.each([
    ["image: { tile_size: 10 }", "image.tile_size: expected at least 64, received the number 10"],
    ["image: { tile_size: 9000 }", "image.tile_size: expected at most 8192, received the number 9000"],
    ["image: { tile_size: 512.5 }", "image.tile_size: expected a whole number, received the number 512.5"],
    ["log: text", 'log: expected keys and values, received "text"'],
    ["log: { level: loud }", 'log.level: expected "debug" or "info" or "warn" or "error", received "loud"'],
    ["sources: { a: 1 }", "sources: expected a list (lines that begin with -), received keys and values"],
    ["sources: [./images]", 'sources.0: expected keys and values, received "./images"'],
    [
      "sources: [{ name: a, root: x }]",
      'sources.0.type: is missing; expected "filesystem" or "http" or "s3"',
    ],
    [
      "sources: [{ name: a, type: ftp, root: x }]",
      'sources.0.type: expected "filesystem" or "http" or "s3", received "ftp"',
    ],
    ["sources: [{ name: a, type: filesystem }]", "sources.0.root: is missing; expected text"],
    ["sources: [{ name: a, type: filesystem, root: }]", "sources.0.root: is missing; expected text"],
    [
      "sources: [{ name: a b, type: filesystem, root: x }]",
      'sources.0.name: expected letters, digits, dots, dashes or underscores, received "a b"',
    ],
    [
      "sources: [{ name: a, type: filesystem, root: x, prefix: maps }]",
      'sources.0.prefix: expected text that ends with /, such as museum/, or nothing, received "maps"',
    ],
    [
      "trusted_proxies: [10.0.0.0/8, 1.2.3.4/33]",
      'trusted_proxies.1: expected an address or range such as 10.0.0.0/8 or ::1, received "1.2.3.4/33"',
    ],
    [
      "aliases: [{ prefix: iiif, version: 2 }]",
      'aliases.0.prefix: expected a path that begins and ends with /, with single slashes, such as /cantaloupe/iiif/2/, received "iiif"',
    ],
    ["aliases: [{ prefix: /a/, version: 4 }]", "aliases.0.version: expected 2 or 3, received the number 4"],
  ])("%s is reported by its path, with the expected and received values", (yaml, message) => {
    expect(problems(yaml)).toEqual([message]);
  });

  test("all problems of a file are reported together", () => {
    expect(problems("adr: 1\nlog: { level: 3 }\nimage: { tile_size: 1, depht: 8 }").length).toBe(4);
  });

  test("a long value is shortened", () => {
    const [problem = ""] = problems(`addr: ${"x".repeat(5000)}`);
    expect(problem.length).toBeLessThan(250);
  });
});

describe("sources", () => {
  const source = (name: string, prefix: string) =>
    `{ name: ${name}, type: filesystem, root: ./x, prefix: "${prefix}" }`;

  test("may not share a name or a prefix", () => {
    expect(problems(`sources: [${source("a", "")}, ${source("a", "b/")}]`)).toEqual([
      "sources.1.name: is the same as that of sources.0; each source needs its own",
    ]);
    expect(problems(`sources: [${source("a", "b/")}, ${source("b", "")}, ${source("c", "b/")}]`)).toEqual([
      "sources.2.prefix: is the same as that of sources.0; each source needs its own",
    ]);
  });

  test("may be within each other's prefix", () => {
    expect(problems(`sources: [${source("a", "b/")}, ${source("b", "b/c/")}]`)).toEqual([]);
  });
});

describe("text that is no configuration", () => {
  test.each([
    ["addr: [", /^: not valid YAML: /],
    ["a: 1\n\tb: 2", /^: not valid YAML: .*Tabs/],
    ["addr: :1\naddr: :2", /^: not valid YAML: Map keys must be unique$/],
    ["a: *nowhere", /^: not valid YAML: .*alias/i],
    ["--- 1\n--- 2", /^: not valid YAML: /],
    ["- a", /^: expected keys and values \(such as "addr: :8080"\), received a list$/],
    ["hello", /^: expected keys and values .* received "hello"$/],
    ["42", /^: expected keys and values .* received the number 42$/],
  ])("%j is refused in one line", (yaml, message) => {
    const [first = "", ...rest] = problems(yaml);
    expect(first).toMatch(message);
    expect(first).not.toContain("\n");
    expect(rest).toEqual([]);
  });

  test.each([
    ["addr: [", 1],
    ["a: 1\n\tb: 2", 2],
    ["addr: :1\naddr: :2", 2],
  ])("%j is refused with the line of the fault", (yaml, line) => {
    expect(load(yaml).problems?.map(({ position }) => position?.line)).toEqual([line]);
  });

  test("aliases that multiply are refused", () => {
    const levels = "abcdefghi".split("");
    const bomb = levels
      .map((name, i) => {
        const item = i === 0 ? '"x"' : `*${levels[i - 1]}`;
        return `${name}: &${name} [${Array(9).fill(item).join(", ")}]`;
      })
      .join("\n");
    expect(problems(bomb)).toEqual([expect.stringMatching(/^: not valid YAML: .*alias/i)]);
  });

  test.each([
    ["a: &a [*a]", "a.0"],
    ["&top image: &i { tile_size: *i }", "image.tile_size"],
    ["limits: &l\n  deep: [1, { max_in_flight: *l }]", "limits.deep.1.max_in_flight"],
  ])("%j holds itself and is refused in one line", (yaml, path) => {
    expect(problems(yaml)).toEqual([
      expect.stringMatching(new RegExp(`^${path}: expected a value, received an alias `)),
    ]);
  });

  test("a few aliases are fine", () => {
    expect(accepted("read_timeout: &t 5s\nwrite_timeout: *t").write_timeout).toBe("5s");
  });
});

describe("the environment", () => {
  test("overrides the file", () => {
    const loaded = load("addr: :1\nlog: { level: error }\nimage: { max_pixel_area: 5 }", {
      SERVICE_ADDR: "127.0.0.1:9000",
      SERVICE_LOG_LEVEL: "debug",
      SERVICE_LOG_FORMAT: "json",
      SERVICE_MAX_PIXEL_AREA: "1000",
    });
    expect(loaded.config).toMatchObject({
      addr: "127.0.0.1:9000",
      log: { level: "debug", format: "json" },
      image: { max_pixel_area: 1000 },
    });
    expect([...(loaded.config ? loaded.overridden : [])].sort()).toEqual([
      "addr",
      "image.max_pixel_area",
      "log.format",
      "log.level",
    ]);
  });

  test("counts over a wrong value of the file", () => {
    expect(accepted("addr: 8080", { SERVICE_ADDR: ":9000" }).addr).toBe(":9000");
  });

  test("an empty variable counts as unset", () => {
    expect(accepted("addr: :1", { SERVICE_ADDR: "" }).addr).toBe(":1");
  });

  test.each([
    ["SERVICE_ADDR", "8080", "addr"],
    ["SERVICE_LOG_LEVEL", "loud", "log.level"],
    ["SERVICE_LOG_FORMAT", "xml", "log.format"],
    ["SERVICE_MAX_PIXEL_AREA", "1e9", "image.max_pixel_area"],
    ["SERVICE_MAX_PIXEL_AREA", "-1", "image.max_pixel_area"],
    ["SERVICE_MAX_PIXEL_AREA", "99999999999999999999", "image.max_pixel_area"],
  ])("%s=%s is named with its variable", (name, value, path) => {
    expect(problems("", { [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${path.replace(".", "\\.")}: expected .*\\(from ${name}\\)$`)),
    ]);
  });

  test("a variable whose part of the file is broken leaves the file's problem in place", () => {
    expect(problems("log: text", { SERVICE_LOG_LEVEL: "info" })).toEqual([
      'log: expected keys and values, received "text"',
    ]);
  });
});

test("problems are one line each under a heading with their number", () => {
  expect(problemLines([{ level: "problem", where: "addr", text: "bad" }], "smalti.yaml")).toBe(
    "the configuration in smalti.yaml has a problem:\n  addr: bad",
  );
  expect(
    problemLines(
      [
        { level: "problem", where: "", text: "one" },
        { level: "problem", where: "a.b", text: "two" },
      ],
      "x",
    ),
  ).toBe("the configuration in x has 2 problems:\n  one\n  a.b: two");
});

describe("keys ending in _env", () => {
  const yaml = (name: string) =>
    `sources: [{ name: web, type: http, url: "https://example.org/{identifier}", auth_env: ${name} }]`;

  test("name a variable that has to be set", () => {
    expect(problems(yaml("TOKEN"))).toEqual([
      "sources.0.auth_env: the environment variable TOKEN is not set; set it to the secret, or remove this key",
    ]);
    expect(problems(yaml("TOKEN"), { TOKEN: "" })).toHaveLength(1);
    expect(problems(yaml("TOKEN"), { TOKEN: "Bearer x" })).toEqual([]);
    expect(problems(yaml('""'))).toEqual([]);
  });

  test("need no value for an anonymous bucket", () => {
    const bucket = (more: string) => `sources: [{ name: b, type: s3, bucket: scans${more} }]`;
    const named = ", access_key_env: MY_KEY, secret_key_env: MY_SECRET";
    for (const problem of problems(bucket(named))) expect(problem).toMatch(/MY_.*anonymous: true/);
    expect(problems(bucket(named))).toHaveLength(2);
    expect(problems(bucket(`${named}, anonymous: true`))).toEqual([]);
  });

  test("need not be there for a bucket, whose credentials may be those of a role", () => {
    expect(problems("sources: [{ name: b, type: s3, bucket: my-masters }]")).toEqual([]);
  });
});

/** A profile with a substitute. */
const shownAs = (size: string) =>
  `auth: { strict_profiles: true, profiles: { p: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "${size}" } } }, rules: [{ match: a.tif, profile: p }] }`;

test.each([
  ["image: { max_output_height: 5 }", ["image.max_output_height"]],
  ["image: { max_output_height: 5, max_output_width: 5 }", []],
  ["image: { max_output_width: 5 }", []],
  [shownAs("max"), ["auth.profiles.p.substitute.max_size"]],
  [shownAs("^max"), ["auth.profiles.p.substitute.max_size"]],
  [shownAs("pct:100"), ["auth.profiles.p.substitute.max_size"]],
  [shownAs("pct:10"), []],
  [shownAs(""), []],
  ["", []],
])("%j is accepted with the warnings %j", (yaml, expected) => {
  expect(configWarnings(accepted(yaml)).map(({ where }) => where)).toEqual(expected);
});

test.each([
  ["enabled: true, write_token: hunter2", {}, ["content_state.store.write_token"]],
  ["enabled: true, write_token_env: T", { T: "hunter2\n" }, ["content_state.store.write_token_env"]],
  ["enabled: true, write_token_env: T", { T: "9f8b3c0e57d2416ab1c8e0f4" }, []],
  ["enabled: true", {}, []],
  ["enabled: false, write_token: hunter2", {}, []],
])("a token for writing that can be guessed causes a warning: %s with %j", (keys, env, expected) => {
  const { config } = loadConfig(`content_state: { store: { dir: /tmp, ${keys} } }`, env);
  expect(config && configWarnings(config, "node", env).map(({ where }) => where)).toEqual(expected);
});

test.each([
  ["node", "1h", 0],
  ["bun", "250s", 0],
  ["bun", "620s", 1],
  ["deno", "75s", 0],
  ["deno", "620s", 1],
] as const)("%s with http.keep_alive %s causes %i warnings", (runtime, time, count) => {
  const config = accepted(`http: { keep_alive: ${time} }`);
  expect(configWarnings(config, runtime).filter(({ where }) => where === "http.keep_alive")).toHaveLength(
    count,
  );
});

test.each(["0s", "500ms", "61m", "soon"])("http.keep_alive %s is refused", (time) => {
  expect(problems(`http: { keep_alive: ${time} }`)).toEqual([expect.stringMatching(/^http\.keep_alive: /)]);
});

describe("if the addresses of readers matter, an unlisted proxy causes a warning", () => {
  const ways = {
    active: `{ pattern: active, access_service: { backend: builtin, users: { ann: "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G" } } }`,
    kiosk: `{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.1] } }`,
    clickthrough: "{ pattern: clickthrough, access_service: { backend: builtin } }",
    header: "{ pattern: external, access_service: { backend: header } }",
    provider:
      "{ pattern: active, access_service: { backend: oidc, issuer: https://id.example.org, client_id: a, client_secret_env: S } }",
  };
  const config = (way: keyof typeof ways, base: string, more = "", trusted = "") =>
    accepted(
      `base_url: "${base}"\n${more}\nauth: { ${trusted} profiles: { p: ${ways[way]} }, rules: [{ match: a.tif, profile: p }] }`,
      { S: "s" },
    );
  const told = (...args: Parameters<typeof config>) =>
    configWarnings(config(...args), "node").filter(({ where }) => where === "trusted_proxies");
  const site = "https://images.example.org";

  test.each([
    ["active", "lock everybody out"],
    ["kiosk", "kiosk.allowed_ips admits either everybody or nobody"],
  ] as const)("for %s, with the consequences and the remedy", (way, consequence) => {
    for (const base of [site, "https://192.0.2.1", "https://example.org/images"]) {
      const [warning, ...others] = told(way, base);
      expect(warning?.text).toContain(consequence);
      expect(warning?.text).toContain("Add the proxy's addresses here, such as [127.0.0.1]");
      expect(others).toEqual([]);
    }
  });

  test("without mentioning kinds of login that are absent", () => {
    expect(told("active", site)[0]?.text).not.toContain("kiosk");
    expect(told("kiosk", site)[0]?.text).not.toContain("wait");
  });

  test("but not if one is listed, in either place", () => {
    for (const way of ["active", "kiosk"] as const) {
      expect(told(way, site, "trusted_proxies: [127.0.0.1]")).toEqual([]);
      expect(told(way, site, "", "trusted_proxies: [127.0.0.1],")).toEqual([]);
    }
  });

  test("nor if no address matters, or nothing suggests a proxy", () => {
    for (const way of ["clickthrough", "header", "provider"] as const) expect(told(way, site)).toEqual([]);
    for (const base of ["", "http://localhost:8080", "http://images.example.org", "https://localhost:8443"])
      expect([base, told("active", base)]).toEqual([base, []]);
    expect(accepted("")).not.toHaveProperty("auth");
    expect(configWarnings(accepted(`base_url: "${site}"`), "node")).toEqual([]);
  });

  test("nor on a runtime that speaks https itself", () => {
    expect(configWarnings(config("kiosk", site), "workerd")).toEqual([]);
  });
});

test("a preferred format has to be one that is written", () => {
  expect(problems("image: { preferred_formats: [avif, jpg], formats: [avif] }")).toEqual([]);
  expect(problems("image: { preferred_formats: [jpg, jxl], formats: [avif] }")).toEqual([
    "image.preferred_formats.1: expected a format that image.formats names too, received jxl",
  ]);
});
