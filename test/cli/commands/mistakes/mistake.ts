// A sound configuration with nearly every kind of login, and the form of a mistake in it.

/** Hash of the password "secret", by htpasswd -B. */
export const bcrypt = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC";

export const secrets = {
  CALLBACK: "tQ4vZ0nXr8kBfW2mYs6L",
  OTHER: "a8Jc3pVhE7uRw1DzKy5G",
  CLIENT: "Nq9xT2bMg6Ls4FhXv0Pe",
};

export const ways = {
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
export type Loose = any;

/** Sound, with every way in but a provider, which a check would ask. */
export const sound = (): Loose =>
  structuredClone({
    base_url: "https://images.example.org",
    trusted_proxies: ["127.0.0.1"],
    sources: [
      { name: "scans", type: "filesystem", root: "./scans" },
      { name: "museum", type: "filesystem", root: "./museum", prefix: "m/" },
    ],
    auth: {
      strict_profiles: true,
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

export interface Mistake {
  readonly what: string;
  /** Plants it. */
  readonly plant: (config: Loose) => void;
  /** The key that is named. */
  readonly key: string;
  /** The expected message. */
  readonly says: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}
