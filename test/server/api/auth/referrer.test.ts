// Addresses of logins contain codes, signatures and return addresses, which no other site may learn.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { browserOf, servedWithAuth, viewer } from "./served.ts";

let app: Served;
beforeAll(async () => {
  app = await servedWithAuth({
    profiles: `partner: { pattern: active, access_service: { backend: external, url: "https://login.example.org/in", callback_secret_env: SECRET } }`,
    env: { SECRET: "0123456789abcdef0123456789abcdef" },
  });
});
afterAll(() => app.service.close());

const back = `?return_to=${encodeURIComponent(`${viewer}/?secret`)}`;
const html = { Accept: "text/html" };

test.each<[string, string, number, Parameters<ReturnType<typeof browserOf>["visit"]>[1]?]>([
  ["the page of a login", `/iiif/auth/login/staff${back}`, 200],
  ["the same of version 1.0", `/iiif/auth/v1/login/staff${back}`, 200],
  ["a wrong password", "/iiif/auth/login/staff", 401, { form: { username: "ann", password: "no" } }],
  ["a login", "/iiif/auth/login/staff", 200, { form: { username: "ann", password: "secret" } }],
  ["a login that leads back", `/iiif/auth/login/terms${back}`, 303, { form: {} }],
  ["a login by address", `/iiif/auth/login/room${back}`, 303, { peer: "192.0.2.7" }],
  ["a refused login by address", `/iiif/auth/login/room${back}`, 401],
  ["a login that leads elsewhere", `/iiif/auth/login/partner${back}`, 303],
  ["a return from elsewhere that fails", "/iiif/auth/callback/partner?user=ann&expires=1&signature=00", 401],
  ["a logout", "/iiif/auth/logout", 200],
  ["a logout that leads back", `/iiif/auth/v1/logout${back}`, 303],
  ["a login that does not exist", `/iiif/auth/login/none${back}`, 404, { headers: html }],
  ["a callback of a login without one", "/iiif/auth/callback/staff?code=x", 404, { headers: html }],
  ["an embedded logout", "/iiif/auth/logout", 403, { headers: { ...html, "Sec-Fetch-Dest": "image" } }],
])("%s sends its address to no other site", async (_, target, status, visit) => {
  const response = await browserOf(app).visit(target, visit);
  expect([response.status, response.headers.get("Referrer-Policy")]).toEqual([status, "same-origin"]);
});
