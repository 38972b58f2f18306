// The options under `auth:`: valid values, defaults, and the keys that a start refuses.

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { hashFault } from "../../../src/server/access/passwords/hash-forms.ts";
import { patterns } from "../../../src/server/access/profiles/options.ts";
import { effectiveYaml } from "../../../src/server/config/effective.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { withAbsolutePaths } from "../../../src/server/config/reading/paths.ts";
import { configTree } from "../../../src/server/config/schema.ts";
import { leaves } from "../../../src/server/config/walk.ts";

/** Hashes of the password "secret", made by htpasswd -B and openssl passwd -apr1. */
const bcrypt = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC";
const apr1 = "$apr1$xxxxxxxx$dxHfLAsjHkDRmG83UXe8K0";

const env = { CALLBACK: "s", CLIENT: "s" };
const load = (auth: unknown, variables: Record<string, string> = env) =>
  loadConfig(stringify({ auth }), variables);

/** Without their positions in the text, which `config/reading/positions.test.ts` holds. */
const problems = (auth: unknown, variables?: Record<string, string>) =>
  (load(auth, variables).problems ?? []).map(({ where: path, text: message }) => ({ path, message }));

const authOf = (auth: unknown) => {
  const { config, problems } = load(auth);
  if (problems) throw new Error(JSON.stringify(problems));
  return config.auth;
};

const staff = { pattern: "active", access_service: { backend: "builtin", users: { ann: bcrypt } } };

/** The whole section, each backend once. */
const whole = {
  token_ttl: "6m",
  session_ttl: "12h",
  strict_profiles: true,
  cookie: { name: "reader", path: "/images" },
  cors: { probe_origins: ["https://a.example"], token_origins: ["https://viewer.example.org"] },
  trusted_proxies: ["10.0.0.0/8"],
  session: { backend: "heap", ttl: "2m" },
  profiles: {
    staff: {
      pattern: "active",
      label: { en: ["Sign in"], de: ["Anmelden"] },
      heading: { en: ["Staff only"] },
      description: { en: ["For those who work here."] },
      note: { en: ["Ask the desk."] },
      confirm_label: "Enter",
      logo_url: "/static/logo.svg",
      token_ttl: "10m",
      access_service: {
        backend: "builtin",
        htpasswd_file: "./htpasswd",
        users: { ann: bcrypt },
        template: "login.html",
      },
      substitute: { max_size: "!200,200" },
    },
    "reading-room": {
      pattern: "kiosk",
      access_service: { backend: "builtin" },
      kiosk: { allowed_ips: ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"] },
    },
    terms: { pattern: "clickthrough", note: "Read them.", access_service: { backend: "builtin" } },
    proxy: { pattern: "external", access_service: { backend: "header" } },
    partner: {
      pattern: "external",
      access_service: {
        backend: "external",
        url: "https://login.example.org/iiif",
        callback_secret_env: "CALLBACK",
      },
    },
    campus: {
      pattern: "active",
      access_service: {
        backend: "oidc",
        issuer: "https://id.example.org",
        client_id: "smalti",
        client_secret_env: "CLIENT",
      },
    },
  },
  rules: [
    { match: "private/*", profile: "staff" },
    { match: "restricted", profile: "reading-room" },
    { match: "*", profile: "terms" },
  ],
};

test.each(["label", "heading", "description"] as const)(
  "the %s of a profile is a text, a list of texts, or either by language",
  (key) => {
    const read = (value: unknown) =>
      authOf({ profiles: { staff: { ...staff, [key]: value } } })?.profiles.staff?.[key];
    expect(read("Sign in")).toEqual({ none: ["Sign in"] });
    expect(read(1912)).toEqual({ none: ["1912"] });
    expect(read(["Sign in", "Staff"])).toEqual({ none: ["Sign in", "Staff"] });
    expect(read({ en: "Sign in", de: ["Anmelden"] })).toEqual({ en: ["Sign in"], de: ["Anmelden"] });
    expect(read("")).toEqual({});
  },
);

test("the note of a profile is a text, a list of texts, or either by language", () => {
  const read = (note: unknown) => authOf({ profiles: { staff: { ...staff, note } } })?.profiles.staff?.note;
  expect(read("Ask the desk.")).toBe("Ask the desk.");
  expect(read(["Ask the desk."])).toEqual({ none: ["Ask the desk."] });
  expect(read({ en: "Ask the desk." })).toEqual({ en: ["Ask the desk."] });
});

test("the whole section is accepted, and absent keys have their defaults", () => {
  expect(authOf(whole)).toMatchObject(whole);
  expect(authOf(whole)?.profiles.proxy?.access_service).toEqual({
    backend: "header",
    header: "X-Forwarded-User",
  });
  expect(authOf(whole)?.profiles.campus?.access_service).toMatchObject({
    scopes: ["openid", "profile", "email"],
    user_claim: "sub",
  });
  expect(authOf(whole)?.profiles.terms).toMatchObject({ confirm_label: "", substitute: { max_size: "" } });
  expect(authOf({})).toMatchObject({
    token_ttl: "5m",
    session_ttl: "24h",
    strict_profiles: false,
    cookie: { name: "service_session", path: "" },
    cors: { probe_origins: ["*"], token_origins: [], clickthrough_origins: [] },
    trusted_proxies: [],
    session: { backend: "heap" },
    profiles: {},
    rules: [],
  });
  expect(loadConfig("", {}).config?.auth).toBeUndefined();
  expect(loadConfig("auth:\n  # nothing yet\n", {}).config?.auth).toBeUndefined();
});

const services = {
  builtin: { backend: "builtin" },
  header: { backend: "header" },
  external: whole.profiles.partner.access_service,
  oidc: whole.profiles.campus.access_service,
};

describe("a pattern accepts", () => {
  const pairs = {
    clickthrough: ["builtin", "header", "external"],
    active: ["builtin", "external", "oidc"],
    kiosk: ["builtin"],
    external: ["header", "external", "oidc"],
  } as const;

  test.each(patterns)("%s: these backends alone", (pattern) => {
    const accepted = Object.entries(services).filter(([backend, service]) => {
      const users = pattern === "active" && backend === "builtin" ? { users: { ann: bcrypt } } : {};
      const kiosk = pattern === "kiosk" ? { kiosk: { allowed_ips: ["192.0.2.1"] } } : {};
      const found = problems({
        profiles: { p: { pattern, access_service: { ...service, ...users }, ...kiosk } },
      });
      if (found.length > 0)
        expect(found).toEqual([
          {
            path: "auth.profiles.p.access_service.backend",
            message: expect.stringMatching(
              new RegExp(`^${backend} does not go with pattern ${pattern}: .+use`),
            ),
          },
        ]);
      return found.length === 0;
    });
    expect(accepted.map(([backend]) => backend)).toEqual(pairs[pattern]);
  });
});

test.each(["Cookie", "host", "User-Agent", "Accept-Language"])(
  "the header %s does not identify a reader",
  (header) => {
    const p = { pattern: "external", access_service: { backend: "header", header } };
    expect(problems({ profiles: { p } })).toEqual([
      {
        path: "auth.profiles.p.access_service.header",
        message: expect.stringMatching(/only the proxy sends/),
      },
    ]);
  },
);

const profile = (over: object) => ({ profiles: { p: { ...staff, ...over } } });
const builtin = (over: object) => profile({ access_service: { ...staff.access_service, ...over } });
const oidc = (over: object) => profile({ access_service: { ...services.oidc, ...over } });
const rule = (match: string) => ({ profiles: { p: staff }, rules: [{ match, profile: "p" }] });

test.each([
  [
    "auth.rules.0.profile",
    { profiles: { p: staff }, rules: [{ match: "a", profile: "q" }] },
    /"p", received "q"/,
  ],
  ["auth.rules.0.profile", { rules: [{ match: "a", profile: "constructor" }] }, /auth\.profiles/],
  ["auth.rules.0.match", rule("https://example.org/a?id=1"), /remove the part from/],
  ["auth.rules.0.match", rule(""), /no identifier can be/],
  ["auth.rules.0.match", rule("private*"), /private\/\*/],
  ["auth.rules.0.match", rule("*/x"), /expected/],
  ["auth.rules.0.match", rule("private/"), /no identifier can be/],
  ["auth.rules.0.match", rule("/private/*"), /no identifier can be/],
  ["auth.rules.0.match", rule("a/../b"), /no identifier can be/],
  ["auth.profiles.p.substitute.max_size", profile({ substitute: { max_size: "200" } }), /!200,200/],
  ["auth.profiles.p.substitute.max_size", profile({ substitute: { max_size: "!0,200" } }), /!200,200/],
  ["auth.profiles.p.substitute.max_size", profile({ substitute: { max_size: "full" } }), /!200,200/],
  ["auth.profiles.p.access_service.users", profile({ access_service: { backend: "builtin" } }), /is missing/],
  [
    "auth.profiles.p.access_service.users",
    { profiles: { p: { ...staff, pattern: "clickthrough" } } },
    /asks for no password/,
  ],
  [
    "auth.profiles.p.access_service.users.ann",
    builtin({ users: { ann: "secret" } }),
    /received a plaintext password$/,
  ],
  [
    "auth.profiles.p.access_service.users.ann",
    builtin({ users: { ann: "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=" } }),
    /bcrypt/,
  ],
  [
    "auth.profiles.p.kiosk.allowed_ips",
    { profiles: { p: { ...staff, kiosk: { allowed_ips: ["::1"] } } } },
    /for pattern kiosk/,
  ],
  [
    "auth.profiles.p.kiosk.allowed_ips",
    { profiles: { p: { pattern: "kiosk", access_service: { backend: "builtin" } } } },
    /is missing/,
  ],
  [
    "auth.profiles.p.kiosk.allowed_ips.0",
    profile({
      pattern: "kiosk",
      access_service: { backend: "builtin" },
      kiosk: { allowed_ips: ["192.0.2.0/33"] },
    }),
    /192\.0\.2\.0\/24/,
  ],
  ['auth.profiles."a/b"', { profiles: { "a/b": staff } }, /letters, digits/],
  [
    "auth.profiles.p.pattern",
    profile({ pattern: "login" }),
    /"clickthrough" or "active" or "kiosk" or "external"/,
  ],
  ["auth.rules.0.profile", { rules: [{ match: "a", profile: [] }] }, /name of a profile, or a list/],
  ["auth.rules.0.profile", { rules: [{ match: "a", profile: {} }] }, /name of a profile, or a list/],
  [
    "auth.rules.0.profile",
    { profiles: { p: staff }, rules: [{ match: "a", profile: ["p", "q"] }] },
    /expected the name of a profile, "p", received "q"/,
  ],
  [
    "auth.rules.0.profile",
    { profiles: { p: staff }, rules: [{ match: "a", profile: ["p", "p"] }] },
    /each profile once, received "p" twice/,
  ],
  ["auth.profiles.p.token_ttl", profile({ token_ttl: "0s" }), /above 0/],
  ["auth.profiles.p.logo_url", profile({ logo_url: "//evil.example/x.png" }), /path of this service/],
  ["auth.profiles.p.label.en", profile({ label: { en: [] } }), /languages/],
  ["auth.profiles.p.label.english", profile({ label: { english: "Staff" } }), /a language such as en/],
  ['auth.profiles.p.note.""', profile({ note: { "": "Ask" } }), /a language such as en/],
  ["auth.profiles.p.heading.0", profile({ heading: [{ text: "Staff" }] }), /text, or languages/],
  ["auth.profiles.p.note.en", profile({ note: { en: { text: "Ask" } } }), /text, or languages/],
  [
    "auth.profiles.p.access_service.issuer",
    oidc({ issuer: "http://id.example.org" }),
    /expected an https URL/,
  ],
  ["auth.profiles.p.access_service.issuer", oidc({ issuer: "http://127.0.0.1.example.org" }), /https/],
  ["auth.profiles.p.access_service.issuer", oidc({ issuer: "https://id.example.org/?realm=a" }), /https/],
  ["auth.profiles.p.access_service.issuer", oidc({ issuer: "https://me:secret@id.example.org" }), /https/],
  ["auth.profiles.p.access_service.issuer", oidc({ issuer: "id.example.org" }), /https/],
  ["auth.profiles.p.access_service.scopes", oidc({ scopes: ["profile"] }), /openid/],
  ["auth.profiles.p.access_service.scopes.1", oidc({ scopes: ["openid", "a b"] }), /without spaces/],
  ["auth.token_ttl", { token_ttl: "soon" }, /5m/],
  ["auth.session_ttl", { session_ttl: "0s" }, /above 0/],
  ["auth.cookie.name", { cookie: { name: "a b" } }, /letters/],
  ["auth.cookie.path", { cookie: { path: "images" } }, /such as \/images/],
  ["auth.cookie.path", { cookie: { path: "/a; Domain=example.org" } }, /such as \/images/],
  ["auth.cors.token_origins.0", { cors: { token_origins: ["*"] } }, /https:\/\/viewer/],
  [
    "auth.cors.token_origins.0",
    { cors: { token_origins: ["https://viewer.example.org/"] } },
    /without a path/,
  ],
  ["auth.cors.probe_origins.0", { cors: { probe_origins: ["viewer"] } }, /or \*/],
  ["auth.trusted_proxies.0", { trusted_proxies: ["proxy"] }, /10\.0\.0\.0\/8/],
])("%s is refused in %j", (path, auth, message) => {
  // The received value is mentioned once.
  for (const { message } of problems(auth)) expect(message.split("received").length).toBeLessThanOrEqual(2);
  expect(problems(auth)).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test("a variable for a secret has to be set, and a user name that looks like one is not a variable", () => {
  expect(problems(whole, { CLIENT: "s" }).map(({ path }) => path)).toEqual([
    "auth.profiles.partner.access_service.callback_secret_env",
  ]);
  expect(problems(builtin({ users: { ann_env: bcrypt } }))).toEqual([]);
});

test.each(["http://localhost:8080/realms/a", "http://127.0.0.1:9", "http://[::1]", "https://id.example.org"])(
  "%s can be an issuer",
  (issuer) => {
    expect(problems(oidc({ issuer }))).toEqual([]);
  },
);

test("hashes of users are masked and file names taken from the folder of the file", () => {
  const { config } = load(whole);
  const shown = effectiveYaml(withAbsolutePaths(config!, "/srv/smalti"));
  expect(shown).toContain('ann: "***"');
  expect(shown).not.toContain("$2y$");
  expect(shown).toContain("htpasswd_file: /srv/smalti/htpasswd");
  expect(shown).toContain("template: /srv/smalti/login.html");
});

test("every key takes effect at the next start, except the addresses of kiosks, which take effect immediately", () => {
  const keys = leaves(configTree()).filter(({ path }) => path.startsWith("auth."));
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter(({ node }) => node.edit !== "restart").map(({ path }) => path)).toEqual([
    "auth.profiles.*.kiosk.allowed_ips",
  ]);
});

test.each([
  [bcrypt, true],
  [bcrypt.replace("$2y$", "$2a$"), true],
  [bcrypt.replace("$2y$", "$2b$"), true],
  [apr1, true],
  [bcrypt.replace("$2y$", "$2x$"), false],
  [bcrypt.slice(0, -1), false],
  [bcrypt.replace("$05$", "$99$"), false],
  ["rqXexS6ZhobKA", false],
  ["{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", false],
  ["secret", false],
  ["", false],
])("the hash %j is one that logins verify: %s", (hash, verifiable) => {
  expect(hashFault(hash) === undefined).toBe(verifiable);
});
