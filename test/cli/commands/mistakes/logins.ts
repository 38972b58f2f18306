// Mistakes in the ways in: secrets, password lists, providers, substitutes.

import { bcrypt, type Mistake, secrets, ways } from "./mistake.ts";

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

export const logins: readonly Mistake[] = [
  {
    what: "a click-through that clients of 2.0 refuse",
    plant({ auth }) {
      delete auth.strict_profiles;
    },
    key: "auth.strict_profiles",
    says: /clickthrough for click, which .* its clients refuse; set it to true/,
  },
  shown("max", /shows readers without access the whole image/),
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
    /is ignored because htpasswd_file is set/,
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
  service("click", { template: "./none.html" }, ".template", /does not exist/, "a page that does not exist"),
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
      auth.profiles.password.access_service = { backend: "builtin", htpasswd_file: "./empty" };
    },
    key: "auth.profiles.password.access_service.htpasswd_file",
    says: /names no users/,
  },
  {
    what: "a claim whose scope is not asked for",
    plant({ auth }) {
      auth.profiles.page = structuredClone(ways.provider);
      Object.assign(auth.profiles.page.access_service, { user_claim: "email", scopes: ["openid"] });
    },
    key: "auth.profiles.page.access_service.user_claim",
    says: /for the scope email only.*add email to scopes/,
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
    says: /ignores addresses/,
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
