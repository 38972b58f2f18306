// An application with gated images and every kind of login that needs no external service, and a browser's
// cookie jar.

import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

/** `secret`, by libxcrypt and by `openssl passwd -apr1`. */
export const hashes = {
  bcrypt: "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G",
  apr1: "$apr1$smaltisa$ef96bdNVvd28froGUauvk.",
} as const;

export const viewer = "https://viewer.example.org";

export interface AuthOptions {
  readonly base?: string;
  /** Lines under `auth:`, in addition to the standard ones. */
  readonly more?: string;
  /** Further keys of `auth.cors`, a comma behind each. */
  readonly cors?: string;
  /** Lines under `auth.profiles:`. */
  readonly profiles?: string;
  /** Further list items of `auth.rules`, and prefixes of identifiers that they speak of. */
  readonly rules?: string;
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly over?: Parameters<typeof served>[2];
}

/**
 * The application: `agree/…` asks for a click, `staff/…` for a password, `room/…` for an address, `campus/…`
 * for a header.
 */
export function servedWithAuth({
  base = "https://images.example.org",
  more = "",
  cors = "",
  profiles = "",
  rules = "",
  folders = [],
  env = {},
  over = {},
}: AuthOptions = {}): Promise<Served> {
  return served(
    `${base && `base_url: ${base}`}
trusted_proxies: ["10.0.0.0/8"]
sources:
${["agree", "staff", "room", "campus", "open", ...folders].map((name) => `  - { name: ${name}, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: ${name}/ }`).join("\n")}
auth:
  cors: { ${cors}token_origins: ["${viewer}"] }
  ${more.replaceAll("\n", "\n  ")}
  profiles:
    terms:
      pattern: clickthrough
      label: { en: [Terms of use], de: [Nutzungsbedingungen] }
      heading: { en: ["Please <agree> & go on"], de: [Bitte stimmen Sie zu] }
      description: { en: ["Some \\"rights\\" are reserved."] }
      access_service: { backend: builtin }
    staff:
      pattern: active
      label: { en: [Staff] }
      heading: { en: [Staff only] }
      note: { en: [Ask at the desk] }
      token_ttl: 2m
      access_service: { backend: builtin, users: { ann: "${hashes.bcrypt}", "jörg ✓": "${hashes.apr1}" } }
    room:
      pattern: kiosk
      access_service: { backend: builtin }
      kiosk: { allowed_ips: ["192.0.2.0/28", "2001:db8::/32"] }
      substitute: { max_size: "!50,50" }
    campus: { pattern: external, access_service: { backend: header } }
    ${profiles.replaceAll("\n", "\n    ")}
  rules:
    - { match: "agree/*", profile: terms }
    - { match: "staff/*", profile: staff }
    - { match: "room/*", profile: room }
    - { match: "campus/*", profile: campus }
    ${rules.replaceAll("\n", "\n    ")}
`,
    env,
    over,
  );
}

export interface Visit {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** Sent as a form by POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly peer?: string;
}

export interface Browser {
  /** The session cookie's value; "" without. */
  readonly cookie: () => string;
  visit(target: string, visit?: Visit): Promise<Response>;
}

/** A browser that keeps the session cookie, whatever its path. */
export function browserOf(app: Served, name = "service_session"): Browser {
  let cookie = "";
  return {
    cookie: () => cookie,
    async visit(target, { headers = {}, method, form, peer = "198.51.100.7" } = {}) {
      const response = await app.get(target, {
        peer,
        method: method ?? (form ? "POST" : "GET"),
        headers: {
          ...(cookie && { Cookie: `other=1; ${name}=${cookie}` }),
          ...(form && {
            "Content-Type": "application/x-www-form-urlencoded",
            "Sec-Fetch-Site": "same-origin",
          }),
          ...headers,
        },
        ...(form && { body: new URLSearchParams(form) }),
      });
      const set = response.headers.get("Set-Cookie");
      if (set?.startsWith(`${name}=`)) cookie = set.slice(name.length + 1).split(";")[0] ?? "";
      return response;
    },
  };
}

/** Returns the message that the script of a token page posts, and its recipient. */
export async function postedBy(
  response: Response,
): Promise<{ message: Record<string, unknown>; origin: string }> {
  const html = await response.text();
  const [, nonce, script = ""] = /<script nonce="([^"]+)">(.*?)<\/script>/s.exec(html) ?? [];
  if (!response.headers.get("Content-Security-Policy")?.includes(`script-src 'nonce-${nonce}'`))
    throw new Error("the script may not run");
  const posted: { message: Record<string, unknown>; origin: string }[] = [];
  const parent = {
    postMessage: (message: Record<string, unknown>, origin: string) => posted.push({ message, origin }),
  };
  new Function("window", script)({ parent });
  if (posted.length !== 1 || !posted[0]) throw new Error(`posted ${posted.length} messages`);
  return posted[0];
}
