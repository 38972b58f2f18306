// The built program with folders that clients are tried on: plain, with odd names, in a collection, and
// behind a login.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { buildProgram } from "../../cli/built.ts";

export type Colour = readonly [red: number, green: number, blue: number];

/** A folder of pictures of one colour each. */
interface Folder {
  readonly path: string;
  readonly pictures: Readonly<Record<string, Colour>>;
}

const orange: Colour = [255, 140, 0];
const green: Colour = [0, 170, 90];

export const folders = {
  plain: { path: "album", pictures: { "1.png": orange, "2.png": green } },
  /** Characters that mean something in addresses, or that clients escape in different ways. */
  odd: {
    path: "Été d'or (1) & 100% co+, [x] ~ü",
    pictures: { "a b;c=1 (é)! 50%25 #1?.png": orange, "z'*.png": green },
  },
  one: { path: "shelf/one", pictures: { "1.png": orange } },
  two: { path: "shelf/two", pictures: { "1.png": green } },
  gated: { path: "gated", pictures: { "1.png": orange, "2.png": green } },
} as const satisfies Readonly<Record<string, Folder>>;

export interface Service {
  readonly url: string;
  /** Address of the manifest of a folder, or the collection of several, as a client builds it. */
  document(path: string): string;
  /** Address of the image service of a picture. */
  image(folder: Folder, picture: string): string;
  /** Address of it by a signed link. */
  signed(folder: Folder, picture: string, maxSize: number): Promise<string>;
  close(): void;
}

/** Starts the program over a folder for its masters. `origin`: of the clients. */
export async function startService(
  at: string,
  origin: string,
  logins: "manifest" | "images" = "manifest",
): Promise<Service> {
  for (const { path, pictures } of Object.values(folders)) {
    mkdirSync(join(at, "masters", path), { recursive: true });
    for (const [name, [r, g, b]] of Object.entries(pictures))
      writeFileSync(
        join(at, "masters", path, name),
        await sharp({ create: { width: 1600, height: 1200, channels: 3, background: { r, g, b } } })
          .png()
          .toBuffer(),
      );
  }
  const config = join(at, "smalti.yaml");
  writeFileSync(
    config,
    `sources: [{ name: masters, type: filesystem, root: ${JSON.stringify(join(at, "masters"))} }]
# Mirador 3 takes the first service of a manifest for that of each image.
presentation: { login_services: ${logins} }
signed_links: { keys: [{ id: a, secret_env: LINK_SECRET }] }
auth:
  strict_profiles: true
  cors: { token_origins: ["${origin}"] }
  profiles:
    terms:
      pattern: clickthrough
      label: { en: [Terms of use] }
      heading: { en: [Please come in] }
      access_service: { backend: builtin }
      substitute: { max_size: "!100,100" }
  rules: [{ match: "gated/*", profile: terms }]
`,
  );
  const built = await buildProgram();
  const env = { LINK_SECRET: "0123456789abcdef0123456789abcdef" };
  const program = await built.serve(["-config", config], { env });
  const url = program.url.replace("127.0.0.1", "localhost");
  const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");
  return {
    url,
    document: (path) => `${url}/iiif/presentation/3/${encoded(path)}`,
    image: ({ path }, picture) => `${url}/iiif/3/${encodeURIComponent(`${path}/${picture}`)}`,
    async signed({ path }, picture, maxSize) {
      const args = ["sign", `${path}/${picture}`, "-config", config, "--max", String(maxSize), "--json"];
      const { token } = JSON.parse((await built.run(args, { env })).out) as { token: string };
      return `${url}/s/${token}/iiif/3/${encodeURIComponent(`${path}/${picture}`)}`;
    },
    close: () => built.remove(),
  };
}
