// Logging in on every runtime: passwords from the configuration and from a file, tokens, probe and logout.

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";

interface Status {
  readonly status: number;
}

/** `secret`, by libxcrypt and by `openssl passwd -apr1`. */
const bcrypt = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
const apr1 = "$apr1$smaltisa$ef96bdNVvd28froGUauvk.";

const extra = `auth:
  profiles:
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "${bcrypt}" } } }
    file: { pattern: active, access_service: { backend: builtin, htpasswd_file: ./images/htpasswd } }
    own: { pattern: clickthrough, label: { en: [Terms] }, access_service: { backend: builtin, template: ./images/login.html } }
    near: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [127.0.0.0/8, "::1"] } }
    proxied: { pattern: external, access_service: { backend: header } }
    far: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } }
  rules:
    - { match: base.png, profile: staff }
    - { match: gif-static.gif, profile: file }
    - { match: jpg-baseline-420.jpg, profile: own }
    - { match: webp-lossy.webp, profile: near }
    - { match: jp2-tiled-128.jp2, profile: proxied }
    - { match: tif-multipage-3sizes.tif, profile: far }
`;

describe.each(runtimesFor("logins"))("smalti on $name with logins", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, {
      extra,
      arrange(images) {
        writeFileSync(join(images, "htpasswd"), `bob:${apr1}\n`);
        writeFileSync(join(images, "login.html"), "<form method=post><h1>{{ .Title }}</h1></form>");
      },
    });
  });
  afterAll(() => server?.close());

  const get = (path: string, init?: RequestInit) => fetch(server.url + path, { redirect: "manual", ...init });
  const image = (name: string) => `/iiif/3/${name}/full/20,/0/default.jpg`;

  it.each([
    ["staff", "base.png", { username: "ann", password: "secret" }],
    ["file", "gif-static.gif", { username: "bob", password: "secret" }],
    ["own", "jpg-baseline-420.jpg", {}],
  ])("logs in to %s, and out again", async (profile, name, form: Record<string, string>) => {
    const login = `/iiif/auth/login/${profile}`;
    expect((await get(image(name))).status).toBe(401);
    const page = await get(login);
    expect(page.status).toBe(200);
    if (profile === "own") expect(await page.text()).toContain("<h1>Terms</h1>");
    const post = (body: Record<string, string>) =>
      get(login, { method: "POST", body: new URLSearchParams(body) });
    if (form.password) expect((await post({ ...form, password: "wrong" })).status).toBe(401);
    const done = await post(form);
    expect(done.status).toBe(200);
    const [Cookie = ""] = (done.headers.get("Set-Cookie") ?? "").split(";");
    expect((await get(image(name), { headers: { Cookie } })).status).toBe(200);

    const { accessToken } = (await (await get("/iiif/auth/v1/token", { headers: { Cookie } })).json()) as {
      accessToken: string;
    };
    const probe = async () => {
      const headers = { Authorization: `Bearer ${accessToken}` };
      const response = await get(`/iiif/auth/probe/${name}`, { headers });
      return [response.status, ((await response.json()) as { status: number }).status];
    };
    expect(await probe()).toEqual([200, 200]);
    const out = await get("/iiif/auth/logout?return_to=/health", { headers: { Cookie } });
    expect([out.status, out.headers.get("Location")]).toEqual([303, `${server.url}/health`]);
    expect(await probe()).toEqual([200, 401]);
    expect((await get(image(name), { headers: { Cookie } })).status).toBe(401);
  });

  it("refuses a post from another site, and a body that is too large", async () => {
    const headers = { Origin: "https://evil.example" };
    const body = new URLSearchParams({ username: "ann", password: "secret" });
    expect((await get("/iiif/auth/login/staff", { method: "POST", headers, body })).status).toBe(403);
    const large = new URLSearchParams({ username: "a".repeat(20_000) });
    expect((await get("/iiif/auth/login/staff", { method: "POST", body: large })).status).toBe(413);
  });

  it("takes no reader from a header of several lines", async () => {
    const withLines = (lines: readonly string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { "X-Forwarded-User": [...lines] };
        const asked = request(
          `${server.url}/iiif/auth/probe/jp2-tiled-128.jp2`,
          { headers },
          async (response) => {
            const { status } = (await new Response(
              Readable.toWeb(response) as ReadableStream,
            ).json()) as Status;
            resolve(status);
          },
        );
        asked.on("error", reject).end();
      });
    expect(await withLines(["ann"])).toBe(200);
    expect(await withLines(["CN=ann,OU=readers"])).toBe(200);
    for (const lines of [
      ["ann", "bob"],
      ["ann", "ann"],
      ["", "ann"],
      ["ann", ""],
      ["", ""],
      ["a", "b", "c"],
    ])
      expect([lines, await withLines(lines)]).toEqual([lines, 401]);
  });

  it("knows the address of a kiosk", async () => {
    const near = await get("/iiif/auth/login/near");
    expect([near.status, near.headers.has("Set-Cookie")]).toEqual([200, true]);
    const far = await get("/iiif/auth/login/far", { headers: { "X-Forwarded-For": "192.0.2.1" } });
    expect([far.status, far.headers.has("Set-Cookie")]).toEqual([401, false]);
    expect((await get(image("webp-lossy.webp"))).status).toBe(200);
    const forged = { headers: { "X-Forwarded-For": "192.0.2.1" } };
    expect((await get(image("tif-multipage-3sizes.tif"), forged)).status).toBe(401);
  });
});
