// Mistakes in `auth:` and in what it stands on, each planted into a sound configuration: `smalti check` is silent about none.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { run } from "../../src/cli.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { fixturesFolder } from "../host.ts";
import { served } from "../served.ts";

let folder: string;
let platform: Platform;

/** Of the password "secret", by htpasswd -B. */
const bcrypt = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-mistakes-"));
  const images = ["scans/a.png", "scans/private/b.png", "scans/private/deep/c.png", "scans/Maps/d.png"];
  for (const path of [...images, "scans/one/e.png", "scans/name.png", "museum/vault/f.png"]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, path));
  }
  mkdirSync(join(folder, "scans/notes"));
  writeFileSync(join(folder, "scans/notes/readme.txt"), "notes");
  mkdirSync(join(folder, "sessions"));
  writeFileSync(join(folder, "htpasswd"), `ann:${bcrypt}\n`);
  writeFileSync(join(folder, "plaintext"), "ann:secret\n");
  writeFileSync(join(folder, "page.html"), "<form>{{ if .Error }}</form>");
  const { service } = await served("");
  await service.close();
  ({ platform } = service);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secrets = {
  CALLBACK: "tQ4vZ0nXr8kBfW2mYs6L",
  OTHER: "a8Jc3pVhE7uRw1DzKy5G",
  CLIENT: "Nq9xT2bMg6Ls4FhXv0Pe",
};

/** The lines of `smalti check` on standard error, as an operator reads them. */
async function check(config: unknown, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const file = join(folder, "smalti.yaml");
  writeFileSync(file, stringify(config));
  let told = "";
  await run(
    {
      ...platform,
      env: { ...secrets, ...env },
      cwd: folder,
      write: (to, text) => {
        if (to === "err") told += text;
      },
    },
    ["check", "-config", file],
  );
  return told === "" ? [] : told.trimEnd().split("\n");
}

const ways = {
  click: { pattern: "clickthrough", access_service: { backend: "builtin" } },
  password: { pattern: "active", access_service: { backend: "builtin", users: { ann: bcrypt } } },
  room: {
    pattern: "kiosk",
    access_service: { backend: "builtin" },
    kiosk: { allowed_ips: ["198.51.100.0/24", "2001:db8:12::/48"] },
  },
  header: { pattern: "external", access_service: { backend: "header", header: "X-Remote-User" } },
  page: {
    pattern: "active",
    access_service: {
      backend: "external",
      url: "https://login.example.org",
      callback_secret_env: "CALLBACK",
    },
  },
  provider: {
    pattern: "active",
    access_service: {
      backend: "oidc",
      issuer: "https://127.0.0.1:1",
      client_id: "images",
      client_secret_env: "CLIENT",
    },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: what a mistake makes of it has no type.
type Loose = any;

/** Sound, with every way in but a provider, which a check would ask. */
const sound = (): Loose =>
  structuredClone({
    base_url: "https://images.example.org",
    trusted_proxies: ["127.0.0.1"],
    sources: [
      { name: "scans", type: "filesystem", root: "./scans" },
      { name: "museum", type: "filesystem", root: "./museum", prefix: "m/" },
    ],
    auth: {
      cors: { token_origins: ["https://viewer.example.org"] },
      profiles: {
        click: ways.click,
        password: ways.password,
        room: ways.room,
        header: ways.header,
        page: ways.page,
      },
      rules: [
        { match: "private/deep/*", profile: "click" },
        { match: "private/*", profile: "password" },
        { match: "m/*", profile: "room" },
        { match: "a.png", profile: "header" },
        { match: "Maps/*", profile: "page" },
      ],
    },
  });

test("a sound configuration is warned of nothing", async () => {
  expect(await check(sound())).toEqual([]);
});

test("a mistake is told with its place in the file", async () => {
  const config = sound();
  config.auth.rules.push({ match: "private/x.png", profile: "click" });
  const at = stringify(config)
    .split("\n")
    .findIndex((line) => line.includes("private/x.png"));
  expect(await check(config)).toContainEqual(
    expect.stringMatching(
      new RegExp(`^smalti: warning: line ${at + 1}, column \\d+: auth\\.rules\\.5\\.match: `),
    ),
  );
});

interface Mistake {
  readonly what: string;
  /** Plants it. */
  readonly plant: (config: Loose) => void;
  /** The key that is named. */
  readonly key: string;
  /** What is said of it. */
  readonly says: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** A rule behind the others. */
const rule = (match: unknown, says: RegExp, what = `a rule for ${JSON.stringify(match)}`): Mistake => ({
  what,
  plant: ({ auth }) => auth.rules.push({ match, profile: "click" }),
  key: "auth.rules.5.match",
  says,
});

const rules: readonly Mistake[] = [
  {
    what: "* before all others",
    plant: ({ auth }) => auth.rules.unshift({ match: "*", profile: "password" }),
    key: "auth.rules.1.match",
    says: /never counts, since auth\.rules\.0 \(\*\) matches all.*put it before that one/,
  },
  rule("private/deep/x/*", /never counts, since auth\.rules\.0 \(private\/deep\/\*\).*take it away/),
  {
    what: "a prefix before a longer one",
    plant: ({ auth }) => auth.rules.reverse(),
    key: "auth.rules.4.match",
    says: /never counts, since auth\.rules\.3 \(private\/\*\).*put it before/,
  },
  rule(
    "private/b.png",
    /never counts, since auth\.rules\.1/,
    "an identifier behind the prefix of its folder",
  ),
  rule("private", /never counts, since auth\.rules\.1/, "a folder itself behind its prefix"),
  rule("a.png;2", /never counts, since auth\.rules\.3 \(a\.png\)/, "a page behind its file"),
  rule("private/deep/*", /auth\.rules\.0.*take it away/, "the same rule twice"),
  rule("private/*", /auth\.rules\.1.*list both profiles in one rule/, "one match with two profiles"),
  rule("private%2Fa.tif", /percent-encoded.*write private\/a\.tif/),
  rule("caf%C3%A9/*", /percent-encoded.*write café\/\*/),
  rule("/name.png", /no identifier can be; write name\.png/),
  rule("/one/*", /no identifier can be; write one\/\*/),
  rule("/*", /no identifier can be; write \*/),
  rule("/", /no identifier can be; write \*/),
  rule("one/", /no identifier can be; write one\/\*/),
  rule("one*", /a prefix with \/\* behind it/),
  rule("*.png", /a prefix with \/\* behind it/),
  rule("one/**", /a prefix with \/\* behind it/),
  rule("one\\*", /a prefix with \/\* behind it/),
  rule("one\\e.png", /no identifier can be/),
  rule("./one/*", /no identifier can be/),
  rule("one/../a.png", /no identifier can be/),
  rule("", /no identifier can be/),
  rule("^one/e", /holds "\^", which has no meaning in rules/),
  rule("one/?.png", /holds "\?"/),
  rule("one/{e,f}.png", /holds "\{e,f\}"/),
  rule("one/[ef].png", /holds "\[ef\]"/),
  rule("name.png, one/e.png", /holds ", "/),
  rule(["one/*"], /expected an identifier/, "a list of matches"),
  rule(" one/*", /has a space/),
  rule("one/e.png ", /has a space/),
  rule("one/e.png\u200b", /cannot be seen \(U\+200B\)/),
  rule("iiif/3/one/*", /address of an image.*what follows \/iiif\/3\//),
  rule("https://images.example.org/iiif/3/name.png", /address of an image; write its identifier/),
  rule("name.png/info.json", /address of an answer.*without \/info\.json/),
  rule("name.png/full/max/0/default.jpg", /address of an answer/),
  rule("https://elsewhere.example.org/*", /no source has url: "\{identifier\}"/),
  rule("maps/*", /source "scans" holds Maps instead of maps.*write Maps\/\*/),
  rule("M/*", /differs from the prefix m\/ of source "museum" in upper and lower case.*write m\/\*/),
  rule("museum/vault/*", /begins with the name of source "museum".*write m\/vault\/\*/),
  rule("scans/one/*", /scans is the name of the source, which identifiers do not begin with; write one\/\*/),
  rule("m", /alone, and none of the images of source "museum"; write m\/\*/),
  rule("one", /it is a folder.*write one\/\*/),
  rule("nowhere/*", /matches no image: source "scans" holds no nowhere/),
  rule("one/ee.png", /one holds no ee\.png; did you mean one\/e\.png\?/),
  rule("m/valut/*", /holds no valut; did you mean m\/vault\/\*\?/, "a folder of another source, misspelt"),
  rule("notes/*", /no file in this folder has the name of an image/),
  rule(".git/*", /begin with a dot.*take the rule away/),
  {
    what: "a prefix of no source",
    plant({ sources, auth }) {
      sources[0].prefix = "s/";
      auth.rules = [{ match: "z/*", profile: "click" }];
    },
    key: "auth.rules.0.match",
    says: /begins with none of the prefixes of the sources, s\/ and m\/; did you mean/,
  },
  {
    what: "a rule with and without the prefix of the default source",
    plant({ sources, auth }) {
      sources.splice(0, 2, { name: "scans", type: "filesystem", root: "./scans", prefix: "s/" });
      auth.rules = [
        { match: "private/*", profile: "click" },
        { match: "s/private/*", profile: "password" },
      ];
    },
    key: "auth.rules.1.match",
    says: /never counts, since auth\.rules\.0/,
  },
  {
    what: "files that another source has too",
    plant: ({ sources }) =>
      sources.push({ name: "again", type: "filesystem", root: "./museum/vault", prefix: "v/" }),
    key: "auth.rules.2.match",
    says: /protects files that are public as v\/\* too; add a rule for that/,
  },
  {
    what: "a folder that a source around it has too",
    plant({ sources, auth }) {
      sources[1].root = "./scans/one";
      auth.rules[2].match = "m/e.png";
    },
    key: "auth.rules.2.match",
    says: /protects files that are public as one\/e\.png too/,
  },
  {
    what: "a rule for one of http and https",
    plant({ sources, auth }) {
      sources.push({
        name: "web",
        type: "http",
        prefix: "w/",
        url: "{identifier}",
        allowed_hosts: ["127.0.0.1:1"],
      });
      auth.rules.push({ match: "w/https://127.0.0.1:1/secret/*", profile: "click" });
    },
    key: "auth.rules.5.match",
    says: /protects files that are public as w\/http:\/\/127\.0\.0\.1:1\/secret\/\* too/,
  },
  {
    what: "a URL of a host that no source may ask",
    plant({ sources, auth }) {
      sources.push({
        name: "web",
        type: "http",
        prefix: "w/",
        url: "{identifier}",
        allowed_hosts: ["127.0.0.1"],
      });
      auth.rules.push({ match: "w/https://other.example.org/*", profile: "click" });
    },
    key: "auth.rules.5.match",
    says: /is of other\.example\.org, which no source may ask/,
  },
  rule("https://elsewhere.example.org/a?id=1", /take off what begins with \?/),
  {
    what: "no rules",
    plant({ auth }) {
      auth.rules = [];
    },
    key: "auth.rules",
    says: /there is no rule, so that every image is public/,
  },
  {
    what: "an empty section",
    plant(config) {
      config.auth = {};
    },
    key: "auth.rules",
    says: /there is no rule, so that every image is public/,
  },
  {
    what: "a profile without a rule",
    plant({ auth }) {
      auth.profiles.spare = ways.click;
    },
    key: "auth.profiles.spare",
    says: /no rule names this profile/,
  },
  {
    what: "a rule of no profile",
    plant({ auth }) {
      auth.rules[0].profile = "Click";
    },
    key: "auth.rules.0.profile",
    says: /expected the name of a profile.*received "Click"/,
  },
  {
    what: "a rule without a profile",
    plant({ auth }) {
      delete auth.rules[0].profile;
    },
    key: "auth.rules.0.profile",
    says: /is missing/,
  },
  {
    what: "a rule with a key that there is not",
    plant({ auth }) {
      auth.rules[0].matches = "b/*";
    },
    key: "auth.rules.0.matches",
    says: /unknown key; did you mean "match"\?/,
  },
  {
    what: "rules beside auth",
    plant(config) {
      config.rules = config.auth.rules;
    },
    key: "rules",
    says: /unknown key/,
  },
];

const allowed = (ranges: unknown, says: RegExp, key = "auth.profiles.room.kiosk.allowed_ips.0"): Mistake => ({
  what: `a kiosk for ${JSON.stringify(ranges)}`,
  plant({ auth }) {
    auth.profiles.room.kiosk.allowed_ips = ranges;
  },
  key,
  says,
});
const all = "auth.profiles.room.kiosk.allowed_ips";

const addresses: readonly Mistake[] = [
  allowed(["0.0.0.0/0"], /lets in everybody with IPv4/, all),
  allowed(["::/0"], /lets in everybody with IPv6/, all),
  allowed(["2000::/3"], /lets in everybody with IPv6/, all),
  allowed(["0.0.0.0/1", "128.0.0.0/1"], /lets in everybody with IPv4/, all),
  allowed(["0.0.0.0/2", "64.0.0.0/2", "198.51.100.0/24"], /lets in everybody with IPv4/, all),
  allowed(["0.0.0.0/0", "::/0"], /lets in everybody with IPv4 and IPv6/, all),
  allowed(["198.0.0.0/7"], /more addresses than any institution/),
  allowed(["2001::/16"], /more addresses than any institution/),
  allowed(["198.51.100.7/24"], /the whole network of 24 bits/),
  allowed(["127.0.0.1"], /overlaps with the trusted proxies 127\.0\.0\.1/),
  allowed(["198.51.100.0/33"], /expected an address or range/),
  allowed(["198.51.100.*"], /expected an address or range/),
  allowed(["reading-room.example.org"], /expected an address or range/),
  allowed([], /is missing; pattern kiosk needs the addresses/, all),
  {
    what: "a private network while no proxy is named",
    plant(config) {
      config.base_url = "";
      config.trusted_proxies = [];
      config.auth.profiles.room.kiosk.allowed_ips = ["10.20.0.0/16"];
    },
    key: "auth.profiles.room.kiosk.allowed_ips.0",
    says: /private network, and no proxy is named/,
  },
  {
    what: "a kiosk behind a proxy that is not named",
    plant(config) {
      config.trusted_proxies = [];
    },
    key: "trusted_proxies",
    says: /kiosk\.allowed_ips lets in everybody or nobody/,
  },
  {
    what: "a header while no proxy is named",
    plant(config) {
      config.trusted_proxies = [];
    },
    key: "auth.profiles.header.access_service.header",
    says: /whoever reaches this service past the proxy and sends X-Remote-User has access/,
  },
  {
    what: "all addresses as proxies",
    plant(config) {
      config.trusted_proxies = ["0.0.0.0/0"];
    },
    key: "trusted_proxies",
    says: /takes everybody with IPv4 for a proxy/,
  },
  {
    what: "all addresses as proxies of logins",
    plant({ auth }) {
      auth.trusted_proxies = ["::/0"];
    },
    key: "auth.trusted_proxies",
    says: /takes everybody with IPv6 for a proxy/,
  },
  {
    what: "a proxy by its name",
    plant(config) {
      config.trusted_proxies = ["proxy.example.org"];
    },
    key: "trusted_proxies.0",
    says: /expected an address or range/,
  },
  ...["Authorization", "X-Forwarded-For", "X-Forwarded-Proto", "Via", "X-Real-IP", "User-Agent"].map(
    (header): Mistake => ({
      what: `the header ${header} as a reader's name`,
      plant({ auth }) {
        auth.profiles.header.access_service.header = header;
      },
      key: "auth.profiles.header.access_service.header",
      says: /expected a header that only the proxy sends/,
    }),
  ),
];

const shown = (size: string, says: RegExp): Mistake => ({
  what: `a substitute of ${size}`,
  plant({ auth }) {
    auth.profiles.click.substitute = { max_size: size };
  },
  key: "auth.profiles.click.substitute.max_size",
  says,
});

const service = (profile: string, change: object, key: string, says: RegExp, what: string): Mistake => ({
  what,
  plant({ auth }) {
    Object.assign(auth.profiles[profile].access_service, change);
  },
  key: `auth.profiles.${profile}.access_service${key}`,
  says,
});

const secret = "auth.profiles.page.access_service.callback_secret_env";

const logins: readonly Mistake[] = [
  shown("max", /shows those without access the whole image/),
  shown("^max", /the whole image/),
  shown("pct:100", /the whole image/),
  shown("^pct:150", /the whole image/),
  shown("!8000,8000", /the whole image/),
  shown("400", /expected a size/),
  shown("full", /expected a size/),
  {
    what: "a secret of few characters",
    plant() {},
    key: secret,
    says: /has 7 characters/,
    env: { CALLBACK: "hunter2" },
  },
  {
    what: "a secret of one character, repeated",
    plant() {},
    key: secret,
    says: /repeats a few characters/,
    env: { CALLBACK: "x".repeat(32) },
  },
  {
    what: "a secret with the end of its line",
    plant() {},
    key: secret,
    says: /begins or ends with white space/,
    env: { CALLBACK: `${secrets.CALLBACK}\n` },
  },
  {
    what: "a secret that is not set",
    plant() {},
    key: secret,
    says: /CALLBACK is not set/,
    env: { CALLBACK: "" },
  },
  service(
    "page",
    { callback_secret_env: "" },
    ".callback_secret_env",
    /name of an environment variable/,
    "no secret",
  ),
  {
    what: "one secret for two profiles",
    plant({ auth }) {
      auth.profiles.click = structuredClone(ways.page);
      auth.profiles.click.access_service.callback_secret_env = "OTHER";
    },
    key: secret,
    says: /is that of the profile click too/,
    env: { OTHER: secrets.CALLBACK },
  },
  service("page", { url: "http://login.example.org" }, ".url", /is http/, "a login page over http"),
  service(
    "page",
    { url: "login.example.org" },
    ".url",
    /expected an http or https URL/,
    "a login page without scheme",
  ),
  service(
    "password",
    { htpasswd_file: "./htpasswd" },
    ".users",
    /does not count beside htpasswd_file/,
    "two lists",
  ),
  service("password", { users: {} }, ".users", /is missing; pattern active needs users/, "no users"),
  service(
    "password",
    { users: { ann: "secret" } },
    ".users.ann",
    /plaintext/,
    "a password in place of a hash",
  ),
  service(
    "password",
    { user: { ann: bcrypt } },
    ".user",
    /unknown key; did you mean "users"\?/,
    "a misspelt key",
  ),
  service("click", { users: { ann: bcrypt } }, ".users", /asks for no password/, "users of a click"),
  service("click", { template: "./none.html" }, ".template", /not there/, "a page that is not there"),
  service(
    "click",
    { template: "./page.html" },
    ".template",
    /expected \{\{ end \}\}/,
    "a page that does not end",
  ),
  {
    what: "a file of plaintext passwords",
    plant({ auth }) {
      auth.profiles.password.access_service = { backend: "builtin", htpasswd_file: "./plaintext" };
    },
    key: "auth.profiles.password.access_service.htpasswd_file",
    says: /plaintext/,
  },
  {
    what: "a file of passwords without a line",
    plant({ auth }) {
      writeFileSync(join(folder, "empty"), "# nobody yet\n");
      auth.profiles.password.access_service = { backend: "builtin", htpasswd_file: "./empty" };
    },
    key: "auth.profiles.password.access_service.htpasswd_file",
    says: /nobody/,
  },
  {
    what: "a claim whose scope is not asked for",
    plant({ auth }) {
      auth.profiles.page = structuredClone(ways.provider);
      Object.assign(auth.profiles.page.access_service, { user_claim: "email", scopes: ["openid"] });
    },
    key: "auth.profiles.page.access_service.user_claim",
    says: /for the scope email alone.*add email to scopes/,
  },
  {
    what: "a provider over http",
    plant({ auth }) {
      auth.profiles.page = structuredClone(ways.provider);
      auth.profiles.page.access_service.issuer = "http://id.example.org";
    },
    key: "auth.profiles.page.access_service.issuer",
    says: /expected an https URL/,
  },
  {
    what: "a header for a login in a window",
    plant({ auth }) {
      auth.profiles.header.pattern = "active";
    },
    key: "auth.profiles.header.access_service.backend",
    says: /use the pattern external/,
  },
  {
    what: "addresses of a profile that looks at none",
    plant({ auth }) {
      auth.profiles.click.kiosk = { allowed_ips: ["198.51.100.1"] };
    },
    key: "auth.profiles.click.kiosk.allowed_ips",
    says: /looks at no address/,
  },
  {
    what: "no way in",
    plant({ auth }) {
      delete auth.profiles.click.access_service;
    },
    key: "auth.profiles.click.access_service",
    says: /is missing/,
  },
];

const sessions: readonly Mistake[] = [
  {
    what: "tokens that outlive sessions",
    plant({ auth }) {
      auth.session_ttl = "2m";
    },
    key: "auth.token_ttl",
    says: /is longer than session_ttl \(2m\)/,
  },
  {
    what: "tokens of a profile that outlive sessions",
    plant({ auth }) {
      auth.profiles.click.token_ttl = "48h";
    },
    key: "auth.profiles.click.token_ttl",
    says: /is longer than session_ttl/,
  },
  {
    what: "sessions of seconds",
    plant(config) {
      Object.assign(config.auth, { session_ttl: "45s", token_ttl: "40s" });
    },
    key: "auth.session_ttl",
    says: /logs readers out after 45s/,
  },
  {
    what: "sessions of years",
    plant({ auth }) {
      auth.session_ttl = "17520h";
    },
    key: "auth.session_ttl",
    says: /longer than the 400 days/,
  },
  {
    what: "tokens of a second",
    plant({ auth }) {
      auth.token_ttl = "1s";
    },
    key: "auth.token_ttl",
    says: /tokens end before viewers use them/,
  },
  {
    what: "a lifetime without a unit",
    plant({ auth }) {
      auth.session_ttl = 3600;
    },
    key: "auth.session_ttl",
    says: /expected/,
  },
  {
    what: "sessions in memory beside a cache in Redis",
    plant(config) {
      config.cache = { info: { backend: "redis", addr: "127.0.0.1:1" } };
    },
    key: "auth.session.backend",
    says: /is heap, which several servers cannot share, but cache\.info is in Redis/,
  },
  {
    what: "a store that is not chosen",
    plant({ auth }) {
      auth.session = { redis: { addr: "127.0.0.1:1" } };
    },
    key: "auth.session.redis",
    says: /does not count, since auth\.session\.backend is heap; write backend: redis/,
  },
  {
    what: "a folder that is not chosen",
    plant({ auth }) {
      auth.session = { path: "./sessions" };
    },
    key: "auth.session.path",
    says: /write backend: filesystem/,
  },
  {
    what: "a folder of sessions that is not there",
    plant({ auth }) {
      auth.session = { backend: "filesystem", path: "./gone" };
    },
    key: "auth.session.path",
    says: /gone/,
  },
  {
    what: "Redis without its address",
    plant({ auth }) {
      auth.session = { backend: "redis" };
    },
    key: "auth.session.redis",
    says: /expected redis/,
  },
  {
    what: "logins over http",
    plant(config) {
      config.base_url = "http://images.example.org";
    },
    key: "base_url",
    says: /logins need https/,
  },
  {
    what: "a cookie that is not sent to the service",
    plant({ auth }) {
      auth.cookie = { path: "/images" };
    },
    key: "auth.cookie.path",
    says: /below \/images alone.*no login counts/,
  },
  {
    what: "a cookie for the host with a path",
    plant(config) {
      config.base_url = "https://images.example.org/iiif-server";
      config.auth.cookie = { name: "__Host-reader" };
    },
    key: "auth.cookie.name",
    says: /browsers refuse a cookie/,
  },
  {
    what: "a viewer over http",
    plant({ auth }) {
      auth.cors.token_origins = ["http://viewer.example.org"];
    },
    key: "auth.cors.token_origins.0",
    says: /is http/,
  },
  {
    what: "a viewer with a path",
    plant({ auth }) {
      auth.cors.token_origins = ["https://viewer.example.org/mirador"];
    },
    key: "auth.cors.token_origins.0",
    says: /without a path/,
  },
  {
    what: "all viewers",
    plant({ auth }) {
      auth.cors.token_origins = ["*"];
    },
    key: "auth.cors.token_origins.0",
    says: /expected an origin/,
  },
  {
    what: "a viewer that may not ask the probe",
    plant({ auth }) {
      auth.cors.probe_origins = ["https://other.example.org"];
    },
    key: "auth.cors.token_origins.0",
    says: /add it to probe_origins/,
  },
];

describe.each([
  ["rules", rules],
  ["addresses", addresses],
  ["logins", logins],
  ["sessions", sessions],
])("%s:", (_, mistakes) => {
  test.each(mistakes)("$what", async ({ plant, key, says, env }) => {
    const config = sound();
    plant(config);
    const told = await check(config, env);
    const ofKey = told.filter((line) => new RegExp(`(^|[ :])${key.replaceAll(".", "\\.")}: `).test(line));
    expect([told, ofKey.some((line) => says.test(line))]).toEqual([told, true]);
  });
});
