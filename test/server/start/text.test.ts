// The start text as a function of facts; that a server prints it is tested in serve.test.ts.

import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { type StartFacts, startFields, startText } from "../../../src/server/start/text.ts";

function facts(yaml: string, given: Partial<StartFacts> = {}): StartFacts {
  const { config } = loadConfig(yaml, { S: "a secret" });
  if (!config) throw new Error(`expected a valid configuration: ${yaml}`);
  return {
    version: "1.2.3",
    runtime: "node 22.1.0",
    workers: 2,
    memoryBytes: 2 ** 31,
    configuration: "/etc/smalti.yaml",
    urls: ["http://127.0.0.1:8080"],
    network: [],
    isSummed: false,
    sources: [{ name: "scans", prefix: "", location: "/srv/scans", count: { images: 3, more: false } }],
    caches: [{ name: "render", about: "heap, up to 256 MiB, kept for 24h" }],
    faults: [],
    hasAdmin: false,
    isHooked: false,
    settings: config,
    folderCommand: "bun run dist/main.js DIR",
    ...given,
  };
}

const lines = (given: StartFacts) => startText(given).trimEnd().split("\n");
const lineOf = (given: StartFacts, name: string) => lines(given).find((line) => line.startsWith(`  ${name}`));

test("the address of /mcp is next to that of the start page if it is enabled", () => {
  expect(lineOf(facts("mcp: { enabled: true }"), "mcp")).toBe("  mcp            http://127.0.0.1:8080/mcp");
  expect(lineOf(facts(""), "mcp")).toBeUndefined();
});

test("the operator's pages are listed if they exist, else how to enable them", () => {
  const on = facts("", { hasAdmin: true });
  expect(lineOf(on, "admin")).toBe("  admin          http://127.0.0.1:8080/admin/");
  expect(startText(on)).not.toContain("SERVICE_ADMIN");
  const off = facts("");
  expect(lineOf(off, "admin")).toBeUndefined();
  expect(lines(off)).toContain(
    "  off            admin pages at /admin/; to switch it on: SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS in the environment",
  );
});

test("addresses in the network are below the start page, with who can open them and how to prevent it", () => {
  const network = ["http://192.0.2.5:8080", "http://[2001:db8::5]:8080"];
  const text = lines(facts("", { urls: ["http://localhost:8080"], network }));
  const at = text.indexOf("  start page     http://localhost:8080/");
  expect(text.slice(at + 1, at + 4)).toEqual([
    "  network        http://192.0.2.5:8080/",
    "  network        http://[2001:db8::5]:8080/",
    "                 everybody in this network can open it; --host localhost keeps it to this machine",
  ]);
  expect(startText(facts(""))).not.toMatch(/network/);
});

test.each(["https://images.example.org/x", "https://images.example.org/x/"])(
  "base_url %s is in the text, with what it is for",
  (url) => {
    expect(lineOf(facts(`base_url: ${url}`), "public URL")).toBe(
      "  public URL     https://images.example.org/x/ (base_url: all ids begin with it)",
    );
    expect(lineOf(facts(""), "public URL")).toBeUndefined();
  },
);

test("the last line says if requests have no lines of their own, and how they get them", () => {
  expect(lines(facts("", { isSummed: true })).at(-1)).toContain("log: { requests: true }");
  expect(startText(facts(""))).not.toContain("once a minute");
});

describe("a source", () => {
  const source = (more: Partial<StartFacts["sources"][number]>) =>
    lineOf(
      facts("", { sources: [{ name: "scans", prefix: "", location: "/srv/scans", ...more }] }),
      "source",
    );

  test.each([
    [{ images: 0, more: false }, "0 images"],
    [{ images: 1, more: false }, "1 image"],
    [{ images: 1234, more: false }, "1,234 images"],
    [{ images: 5000, more: true }, "5,000 images or more"],
    [{ images: 0, more: true }, "too large to count at start"],
    [undefined, "which cannot be listed"],
  ])("with %j is described by %j", (count, text) => {
    expect(source(count ? { count } : {})).toBe(`  source         scans: /srv/scans, ${text}`);
  });

  test("has its prefix next to its location", () => {
    expect(source({ prefix: "maps/", count: { images: 2, more: false } })).toBe(
      "  source         scans: /srv/scans under maps/, 2 images",
    );
  });

  test("that cannot be used is named below the addresses with its location and the reason", () => {
    const sources = [
      { name: "scans", prefix: "", location: "/srv/scans", count: { images: 3, more: false } },
      { name: "vault", prefix: "v/", location: "s3://vault/", unusable: true as const },
    ];
    const faults = [
      {
        level: "problem" as const,
        where: 'source "vault"',
        text: "s3://vault/: The bucket is locked. Unlock it.",
      },
      { level: "problem" as const, where: 'cache "render"', text: "connection refused" },
    ];
    const text = lines(facts("", { sources, faults }));
    expect(text).toContain("  source         vault: s3://vault/ under v/, cannot be used, see below");
    const home = text.findIndex((line) => line.includes("start page"));
    const vault = text.indexOf('    source "vault": s3://vault/: The bucket is locked. Unlock it.');
    expect(vault).toBeGreaterThan(home);
    expect(text.at(-1)).toBe('    cache "render": connection refused');
    expect(startFields(facts("", { sources, faults }))).toMatchObject({
      unusable: ['source "vault"', 'cache "render"'],
    });
  });

  test("if all is well, nothing is below the addresses", () => {
    expect(lines(facts("")).at(-1)).toContain("/iiif/3/");
    expect(startText(facts(""))).not.toContain("Cannot be used");
  });
});

describe("a disabled feature", () => {
  const off = (given: StartFacts) => lines(given).filter((line) => line.startsWith("  off"));

  test("is listed with the setting that enables it, and disappears once it is set", () => {
    const sources = [{ name: "sample", prefix: "", count: { images: 1, more: false } }];
    const all = off(facts("cache: { info: { backend: none } }", { sources, hasAdmin: true }));
    expect(all.map((line) => line.replace(/^ +off +([^;]*);.*/, "$1"))).toEqual([
      "your own images",
      "limits of answers",
      "caps on requests",
      "cache info",
    ]);
    const settings = all.slice(1).map((line) => line.split("to switch it on: ")[1] ?? "");
    expect(off(facts(settings.join("\n"), { hasAdmin: true }))).toEqual([]);
    expect(all[0]).toContain("to switch it on: bun run dist/main.js DIR, or sources");
  });
});

test("the limits in force are listed", () => {
  const yaml =
    "image: { max_pixel_area: 5000000, max_output_area: 25000000, max_output_width: 8000, max_output_height: 6000, timeout: 9s }\nlimits: { max_in_flight: 7 }";
  expect(lineOf(facts(yaml), "limits")).toBe(
    "  limits         sources up to 5 megapixels, 9s for a render, answers up to 25 megapixels and 8,000 pixels wide and 6,000 pixels high, 7 requests at once",
  );
});

describe("access", () => {
  const builtin = "access_service: { backend: builtin";
  const ways = {
    staff: `{ pattern: active, ${builtin}, users: { ann: "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC" } } }`,
    terms: `{ pattern: clickthrough, ${builtin} } }`,
    "reading-room": `{ pattern: kiosk, ${builtin} }, kiosk: { allowed_ips: [192.0.2.1] } }`,
    campus: "{ pattern: external, access_service: { backend: header } }",
    partner:
      "{ pattern: active, access_service: { backend: external, url: https://login.example.org, callback_secret_env: S } }",
    members:
      "{ pattern: external, access_service: { backend: oidc, issuer: https://id.example.org, client_id: a, client_secret_env: S } }",
  };
  const redis = "session: { backend: redis, redis: { addr: 127.0.0.1:6379 } }";
  const access = (names: readonly (keyof typeof ways)[], rules: number, more = "", isHooked = false) => {
    const profiles = names.map((name) => `${name}: ${ways[name]}`).join(", ");
    const matches = Array.from({ length: rules }, (_, at) => `{ match: a${at}, profile: ${names[0]} }`);
    const yaml = `auth: { profiles: { ${profiles} }, rules: [${matches.join(", ")}]${more && `, ${more}`} }`;
    return lineOf(facts(yaml, { isHooked }), "access")?.slice("  access         ".length);
  };

  test("names the rules, the profiles with their kinds of login, and the session store", () => {
    expect(access(["staff", "terms", "reading-room"], 3, redis)).toBe(
      "3 rules: staff (password), terms (click), reading-room (address); sessions in redis",
    );
    expect(access(["partner"], 1)).toBe("1 rule: partner (your page); sessions in memory");
    expect(access(["members"], 1, "session: { backend: filesystem, path: /s }")).toBe(
      "1 rule: members (OpenID Connect); sessions in a folder",
    );
  });

  test("names some of many profiles, and no sessions if nobody has one", () => {
    expect(access(["staff", "terms", "reading-room", "campus", "partner", "members"], 1200)).toBe(
      "1,200 rules: staff (password), terms (click), reading-room (address) and 3 more profiles; sessions in memory",
    );
    expect(access(["campus"], 2)).toBe("2 rules: campus (header)");
  });

  test("is reported as open to all if it is", () => {
    expect(lineOf(facts(""), "access")).toBe("  access         no rules: every image is public");
    expect(access(["terms"], 0)).toBe("no rules: every image is public; sessions in memory");
    expect(lineOf(facts("", { isHooked: true }), "access")).toBe(
      "  access         a hook decides first; no rules",
    );
    expect(access(["campus"], 1, "", true)).toBe("a hook decides first; 1 rule: campus (header)");
  });

  test("is logged too", () => {
    expect(startFields(facts(""))).toMatchObject({ access: "no rules: every image is public" });
  });
});

describe("the addresses", () => {
  test.each([
    ["http://0.0.0.0:8080", "http://localhost:8080/"],
    ["http://[::]:8080", "http://localhost:8080/"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"],
  ])("%s is opened as %s", (url, opened) => {
    expect(lineOf(facts("", { urls: [url] }), "start page")).toBe(`  start page     ${opened}`);
  });

  test("name an image by its encoded identifier, and why one cannot be shown", () => {
    const size = { width: 1, height: 1 };
    expect(lineOf(facts("", { example: { identifier: "a b/c.png", size } }), "an image")).toBe(
      "  an image       http://127.0.0.1:8080/iiif/3/a%20b%2Fc.png/info.json",
    );
    const problem = "This picture cannot be read.";
    expect(lineOf(facts("", { example: { identifier: "c.png", problem } }), "an image")).toBe(
      "  an image       c.png: This picture cannot be read.",
    );
  });

  test("are paths if the runtime does not know where it listens", () => {
    expect(lineOf(facts("", { urls: [] }), "start page")).toBe("  start page     /");
  });
});
