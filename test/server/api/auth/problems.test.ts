// Problems under the addresses of logins, as people read them: in their language.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { browserOf, servedWithAuth, type Visit } from "./served.ts";

let app: Served;
let down: Served;
beforeAll(async () => {
  app = await servedWithAuth();
  // Nothing listens at port 1.
  down = await servedWithAuth({
    more: "session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 200ms } }",
  });
});
afterAll(() => Promise.all([app, down].map(({ service }) => service.close())));

const login = "/iiif/auth/login/staff";
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const post = (headers: Record<string, string>, body: string) => ({ method: "POST", headers, body });

interface Fault extends Omit<Visit, "form"> {
  readonly body?: string;
}

/** Status and code, the address, and the request. */
const faults: readonly (readonly [number, string, string, Fault])[] = [
  [400, "invalid_form", login, post(form, "username=%zz")],
  [400, "invalid_origin", "/iiif/auth/token", {}],
  [403, "cross_site_post", login, post({ ...form, "Sec-Fetch-Site": "cross-site" }, "username=a")],
  [404, "no_such_page", "/iiif/auth/login/nobody", {}],
  [404, "no_such_page", "/iiif/auth/v1/login/", {}],
  [404, "no_such_page", "/iiif/auth/nothing", {}],
  [404, "image_not_found", "/iiif/auth/probe/", {}],
  [405, "method_not_allowed", "/iiif/auth/logout", { method: "DELETE" }],
  [413, "body_too_large", login, post(form, "a".repeat(20_000))],
  [414, "target_too_long", `${login}?return_to=/${"a".repeat(9000)}`, {}],
  [415, "unsupported_body_type", login, post({ "Content-Type": "text/plain" }, "a")],
];

const ask = (target: string, { headers, ...fault }: Fault, more: Record<string, string>) =>
  app.get(target, { ...fault, headers: { ...headers, ...more } });

describe.each(faults)("%i %s", (status, code, target, fault) => {
  test(`at ${target.slice(0, 60)} is said in German to who reads German`, async () => {
    const response = await ask(target, fault, { Accept: "text/html", "Accept-Language": "de" });
    const html = await response.text();
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      status,
      "text/html; charset=utf-8",
    ]);
    expect(html).toContain('<html lang="de">');
    expect(html).toMatch(/<h1>(Das hat|Von einer|Hier ist)/);
    expect(html).toContain(`<code>${status} ${code}</code>`);
    expect(html).toContain("Zur Startseite");
    expect(response.headers.get("Vary")).toMatch(/^Accept, Accept-Language/);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  test(`at ${target.slice(0, 60)} is the English document to programs`, async () => {
    const response = await ask(target, fault, { "Accept-Language": "de" });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      status,
      "application/problem+json",
    ]);
    const { detail, ...document } = await response.json();
    expect(document).toMatchObject({ status, code });
    expect(detail).toMatch(/Expected|There is|address/);
  });
});

test.each([
  ["en", "There is nothing here", "To the start page"],
  ["de-AT", "Hier ist nichts", "Zur Startseite"],
  ["fr", "Il n’y a rien ici", "Vers la page d’accueil"],
  ["es", "Aquí no hay nada", "A la página de inicio"],
  ["it", "Qui non c’è nulla", "Alla pagina iniziale"],
  ["nl", "Hier is niets", "Naar de startpagina"],
  ["ja", "There is nothing here", "To the start page"],
])("a page in %s says %s", async (language, heading, link) => {
  const headers = { Accept: "text/html", "Accept-Language": language };
  const html = await (await app.get("/iiif/auth/login/nobody", { headers })).text();
  expect(html).toContain(`<h1>${heading}</h1>`);
  expect(html).toContain(`<a href="https://images.example.org/">${link}</a>`);
  // For support staff.
  const tag = /^(en|ja)/.test(language) ? "" : ' lang="en"';
  expect(html).toContain(`<p class="quiet"${tag}>There is no login at this address.`);
});

test("an unavailable session store is reported with advice", async () => {
  const headers = { Accept: "text/html", "Accept-Language": "fr" };
  const response = await browserOf(down).visit("/iiif/auth/login/terms", { form: {}, headers });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  const html = await response.text();
  expect(html).toContain("<h1>Impossible pour le moment</h1>");
  expect(html).toContain("Attendez un instant et réessayez.");
  expect(html).toContain("503 sessions_unavailable");
});

test("so is the cap on requests of one address", async () => {
  const capped = await servedWithAuth({ base: "https://a.example\nlimits: { max_in_flight_per_ip: 1 }" });
  let end = () => {};
  const body = new ReadableStream({
    start(controller) {
      end = () => controller.close();
    },
  });
  const first = capped.get(login, { method: "POST", headers: form, body, duplex: "half" } as RequestInit);
  const headers = { Accept: "text/html", "Accept-Language": "nl" };
  const response = await capped.get(login, { headers });
  expect(response.status).toBe(429);
  expect(await response.text()).toContain("<h1>Op dit moment niet mogelijk</h1>");
  end();
  await first;
  await capped.service.close();
});

test("elsewhere pages of errors are in the reader's language too", async () => {
  const headers = { Accept: "text/html", "Accept-Language": "de" };
  const html = await (await app.get("/nothing", { headers })).text();
  expect(html).toContain('<html lang="de">');
  expect(html).toContain("<h1>Hier ist nichts</h1>");
});
