// A running service with images behind every kind of login that has a page, and what readers do on these pages.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Built, buildProgram } from "../../cli/built.ts";
import { clientId, clientSecret, startProvider } from "../../servers/oidc.ts";
import { chequered } from "./picture.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
/** Sides of substitutes: a sixteenth of the pictures, so that their squares are gone. */
export const mostSide = 100;
export const pictures = ["1.png", "2.png"];

interface Login {
  /** Of its profile; `issuer`: of the provider. */
  readonly options: (issuer: string) => string;
  /** What a reader does in the window. */
  readonly act: (popup: Page) => Promise<void>;
}

/** By the name of the profile, and of the folder of images behind it. Behind `…Only` is the same without a substitute. */
export const logins: Readonly<Record<string, Login>> = {
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
  members: {
    options: (issuer) =>
      `pattern: active, label: { en: [Members] }, access_service: { backend: oidc, issuer: "${issuer}", client_id: ${clientId}, client_secret_env: CLIENT }`,
    async act(popup) {
      await popup.fill("[name=login]", "ann");
      await popup.fill("[name=password]", "any");
      await popup.click("[type=submit]");
      await popup.getByRole("button", { name: "Continue" }).click();
    },
  },
};

export interface GatedImages {
  /** Of the service. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the service and a provider of identities. `origin`: of the viewers. */
export async function gatedImages(folder: string, origin: string): Promise<GatedImages> {
  const masters = join(folder, "masters");
  mkdirSync(masters);
  const colours = [
    [255, 140, 0],
    [0, 200, 120],
  ] as const;
  for (const [i, colour] of colours.entries())
    writeFileSync(join(masters, `${i + 1}.png`), await chequered(colour));
  const provider = await startProvider();
  const built: Built = await buildProgram();
  const names = Object.keys(logins).flatMap((name) => [name, `${name}Only`]);
  const profile = (name: string, { options }: Login, more = "") =>
    `    ${name}: { ${options(provider.issuer)}, heading: { en: [Please come in] }, description: { en: [For research and teaching.] }, confirm_label: Let me in${more} }`;
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources:
${names.map((name) => `  - { name: ${name}, type: filesystem, root: ${JSON.stringify(masters)}, prefix: ${name}/ }`).join("\n")}
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
${names.map((name) => `    - { match: "${name}/*", profile: ${name} }`).join("\n")}
`,
  );
  const program = await built.serve(["-config", config], { env: { CLIENT: clientSecret } });
  const url = program.url.replace("127.0.0.1", "localhost");
  for (const name of names) provider.register(`${url}/iiif/auth/callback/${name}`);
  return {
    url,
    async close() {
      built.remove();
      await provider.stop();
    },
  };
}
