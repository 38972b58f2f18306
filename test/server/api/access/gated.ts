// A service with rules of every kind over a folder of pictures, and logins to it, for the tests of access.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { type Served, served } from "../../../served.ts";

/** Hash of the password "myPassword", from Apache's documentation (httpd 2.4, Password Formats). */
export const bcrypt = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC";

/** Profiles and rules of the tests, without `auth:` itself; two spaces deep. */
export const authSection = `
  profiles:
    staff:
      pattern: active
      label: { en: [Sign in] }
      heading: { en: [Staff only] }
      note: { en: [Ask the desk.] }
      access_service: { backend: builtin, users: { ann: "${bcrypt}" } }
    terms: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!100,100" } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
    proxy: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules:
    - { match: private/*, profile: staff }
    - { match: terms.png, profile: terms }
    - { match: room.png, profile: room }
    - { match: proxied.png, profile: proxy }
    - { match: "missing/*", profile: staff }
`;

export interface Gated {
  readonly app: Served;
  readonly folder: string;
  /** The Cookie header of a new session with a grant for a profile; `ms`: its rest of life. */
  cookie(profile: string, ms?: number, before?: string): Promise<string>;
  /** The Authorization header of a token of such a session. */
  bearer(profile: string, ms?: number): Promise<string>;
  close(): Promise<void>;
}

/** Columns of one pixel, white and black in turn, 800 x 600: at an eighth of the size it is one even gray. */
export function fineColumns(): Sharp {
  const columns = Uint8Array.from({ length: 800 * 600 }, (_, i) => (i % 2 === 0 ? 255 : 0));
  return sharp(columns, { raw: { width: 800, height: 600, channels: 1 } });
}

/** Folder with public.png, blue.png (40 x 20), and gated pictures that are {@link fineColumns}. */
export async function pictures(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-auth-"));
  mkdirSync(join(folder, "private"));
  for (const name of [
    "public.png",
    "private/a.png",
    "private/é ü.png",
    "terms.png",
    "room.png",
    "proxied.png",
  ])
    await fineColumns().png().toFile(join(folder, name));
  const blue = { width: 40, height: 20, channels: 3, background: "#0000ff" } as const;
  await sharp({ create: blue }).png().toFile(join(folder, "blue.png"));
  return folder;
}

/** A service; `more`: further lines of its configuration. */
export async function gated({
  more = "",
  auth = authSection,
  folder,
}: {
  readonly more?: string;
  readonly auth?: string;
  readonly folder: string;
}): Promise<Gated> {
  const base = more.includes("base_url") ? "" : "base_url: https://images.example.org\n";
  const sources = more.includes("sources:")
    ? ""
    : `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]\n`;
  const app = await served(`${base}${sources}${more}\nauth:${auth}`);
  const { sessions, fingerprints } = app.service.auth!;
  const logIn = async (profile: string, ms = 60_000, before?: string) => {
    const fingerprint = (await fingerprints.of(profile, "ann")) ?? "";
    const now = Date.now();
    return sessions.logIn({ profile, user: "ann", fingerprint, grantedAt: now, expiresAt: now + ms }, before);
  };
  return {
    app,
    folder,
    cookie: async (profile, ms, before) => `service_session=${(await logIn(profile, ms, before)).id}`,
    async bearer(profile, ms = 60_000) {
      const token = await sessions.issueToken((await logIn(profile)).id, ms);
      return `Bearer ${token?.id}`;
    },
    async close() {
      await app.service.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Address of an image or a document below it. */
export const at = (identifier: string, rest = "full/max/0/default.png", mount = "/iiif/3/") =>
  `${mount}${identifier}/${rest}`;
