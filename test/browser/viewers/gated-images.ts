// A running service with images behind every kind of login, and what readers do on the pages of these.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Built, buildProgram } from "../../cli/built.ts";
import { startLoginPage } from "../../servers/login-page.ts";
import { chequered } from "./picture.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
/** Sides of substitutes: a sixteenth of the pictures, so that their squares are gone. */
export const mostSide = 100;
export const pictures = ["1.png", "2.png"];
const colours = [
  [255, 140, 0],
  [0, 200, 120],
] as const;

export interface Login {
  /** Options of its profile. `page`: address of an operator's own page. */
  readonly options: (page: string) => string;
  /** Acts as the reader in the window; absent if there is nothing to do. */
  readonly act?: (popup: Page) => Promise<void>;
}

const secret = "of the login page, and long enough";
const external = (page: string) =>
  `access_service: { backend: external, url: "${page}", callback_secret_env: PAGE }`;
const kiosk = (addresses: string) =>
  `pattern: kiosk, label: { en: [In the building] }, access_service: { backend: builtin }, kiosk: { allowed_ips: [${addresses}] }`;
const followLink = (popup: Page) => popup.click("a");

/**
 * Logins by the name of the profile, which is also the folder of its images. `…Only` is the same without a
 * substitute.
 */
export const logins = {
  /** A kiosk in which the browsers of these tests are, and one that is elsewhere. */
  room: { options: () => kiosk('127.0.0.1, "::1"') },
  away: { options: () => kiosk("192.0.2.0/24") },
  terms: {
    options: () =>
      "pattern: clickthrough, label: { en: [Terms of use] }, access_service: { backend: builtin }",
    act: (popup) => popup.click("button"),
  },
  staff: {
    options: () =>
      `pattern: active, label: { en: [Reading room] }, access_service: { backend: builtin, users: { ann: "${hash}" } }`,
    async act(popup) {
      await popup.fill("#username", "ann");
      await popup.fill("#password", "secret");
      await popup.click("button");
    },
  },
  partner: {
    options: (page) => `pattern: active, label: { en: [Partners] }, ${external(page)}`,
    act: followLink,
  },
  campus: {
    options: (page) => `pattern: external, label: { en: [Campus] }, ${external(page)}`,
    act: followLink,
  },
} as const satisfies Readonly<Record<string, Login>>;

/** Folders behind rules with several profiles; the names of these in order. */
export const several = { roomOrStaff: ["away", "staff"], staffOrPartner: ["staff", "partner"] } as const;

export interface GatedImages {
  /** Address of the service. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the service and the operator's page. `origin`: of the viewers. */
export async function gatedImages(folder: string, origin: string): Promise<GatedImages> {
  const page = await startLoginPage(secret);
  const built: Built = await buildProgram();
  const names = Object.keys(logins).flatMap((name) => [name, `${name}Only`]);
  const rules: readonly (readonly [folder: string, profiles: readonly string[]])[] = [
    ...names.map((name) => [name, [name]] as const),
    ...Object.entries(several).flatMap(
      ([name, profiles]) =>
        [
          [name, profiles],
          [`${name}Only`, profiles.map((each) => `${each}Only`)],
        ] as const,
    ),
  ];
  const masters = join(folder, "masters");
  const chequers = await Promise.all(colours.map(chequered));
  for (const [name] of rules) {
    mkdirSync(join(masters, name), { recursive: true });
    for (const [i, picture] of chequers.entries())
      writeFileSync(join(masters, name, pictures[i] as string), picture);
  }
  const profile = (name: string, { options }: Login, more = "") =>
    `    ${name}: { ${options(page.url)}, heading: { en: [Please come in] }, description: { en: [For research and teaching.] }, confirm_label: Let me in${more} }`;
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources:
  - { name: gated, type: filesystem, root: ${JSON.stringify(masters)} }
auth:
  cors: { token_origins: ["${origin}"] }
  profiles:
${Object.entries(logins)
  .flatMap(([name, login]) => [
    profile(name, login, `, substitute: { max_size: "!${mostSide},${mostSide}" }`),
    profile(`${name}Only`, login),
  ])
  .join("\n")}
  rules:
${rules.map(([name, profiles]) => `    - { match: "${name}/*", profile: [${profiles.join(", ")}] }`).join("\n")}
`,
  );
  const program = await built.serve(["-config", config], { env: { PAGE: secret } });
  const url = program.url.replace("127.0.0.1", "localhost");
  return {
    url,
    async close() {
      built.remove();
      page.close();
    },
  };
}
