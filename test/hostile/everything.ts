// A service with all of its surfaces over folders of 300 images each, behind a proxy that it trusts, and the
// routes that it has.

import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountAdmin } from "../../src/admin/routes.ts";
import type { Route } from "../../src/server/api/http/context.ts";
import { surfaces } from "../../src/server/app.ts";
import { fixture } from "../host.ts";
import { type Served, served } from "../served.ts";

/** Images in each folder. */
export const imageCount = 300;
/** The address of the proxy, whose headers count. */
export const proxy = "10.0.0.1";
export const operator = { Authorization: `Basic ${btoa("ada:analytical")}` };
export const writer = { Authorization: "Bearer a-token-to-write-states" };

export interface Everything {
  readonly app: Served;
  readonly routes: readonly Route[];
  close(): Promise<void>;
}

/** `many` is public, `gated` needs one of four profiles, `album` has a manifest file, `above` has folders. */
export async function everything(): Promise<Everything> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-hostile-"));
  const picture = join(folder, "picture.jpg");
  writeFileSync(picture, fixture("jpg-1x1.jpg"));
  for (const name of ["images/many", "images/gated", "images/album", "states"])
    mkdirSync(join(folder, name), { recursive: true });
  for (let i = 0; i < imageCount; i++) {
    const name = `p${String(i).padStart(3, "0")}`;
    for (const each of ["many", "gated", "album"])
      linkSync(picture, join(folder, "images", each, `${name}.jpg`));
    for (const each of ["many", "gated"])
      writeFileSync(join(folder, "images", each, `${name}.txt`), "Guten Tag");
    mkdirSync(join(folder, "images/above", name), { recursive: true });
    linkSync(picture, join(folder, "images/above", name, "a.jpg"));
  }
  writeFileSync(
    join(folder, "images/album/manifest.yaml"),
    "label: { en: [An album], de: [Ein Album] }\nsummary: { en: [Pictures] }\n",
  );
  const app = await served(
    `
trusted_proxies: [${proxy}]
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(join(folder, "images"))} }]
aliases: [{ prefix: /old/, version: 2 }]
metrics: { enabled: true }
mcp: { enabled: true }
content_state: { store: { enabled: true, dir: ${JSON.stringify(join(folder, "states"))}, write_token: a-token-to-write-states } }
auth:
  profiles:
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC" } } }
    terms: { pattern: clickthrough, access_service: { backend: builtin } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [203.0.113.0/24] } }
    proxy: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules: [{ match: gated/*, profile: [staff, terms, room, proxy] }]
`,
    { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "analytical" },
  );
  const routes: Route[] = [];
  for (const mount of [...surfaces, mountAdmin])
    mount({ add: (route) => void routes.push(route), find: () => undefined }, app.service);
  return {
    app,
    routes,
    async close() {
      await app.service.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
