// auth.cors.clickthrough_origins: viewers of any site get what readers have agreed to by a click, and nothing
// else.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { type Browser, browserOf, postedBy, servedWithAuth, viewer } from "./served.ts";

const anywhere = "https://blog.example.net";
let app: Served;
let strict: Served;
let nobody: Browser;
beforeAll(async () => {
  app = await servedWithAuth({ cors: 'clickthrough_origins: ["*"], ' });
  strict = await servedWithAuth({ cors: `clickthrough_origins: ["${anywhere}"], ` });
  nobody = browserOf(app);
});
afterAll(() => Promise.all([app, strict].map(({ service }) => service.close())));

const tokenPath = (origin: string, version: "" | "v1/" = "") =>
  `/iiif/auth/${version}token?${new URLSearchParams({ messageId: "1", origin })}`;

/** A reader who has logged in to these profiles. */
async function readerOf(...profiles: readonly ("terms" | "staff")[]): Promise<Browser> {
  const reader = browserOf(app);
  for (const profile of profiles)
    await reader.visit(`/iiif/auth/login/${profile}`, {
      form: profile === "staff" ? { username: "ann", password: "secret" } : {},
    });
  return reader;
}

const statusWith = async (token: unknown, folder: string) =>
  (
    await nobody.visit(`/iiif/3/${folder}%2Fbase.png/full/8,/0/default.jpg`, {
      headers: { Authorization: `Bearer ${token}` },
    })
  ).status;

describe.each(["", "v1/"] as const)("the token service %stoken", (version) => {
  test("gives viewers of any site a token for clicks alone, whatever else the reader has logged in to", async () => {
    const reader = await readerOf("staff", "terms");
    const response = await reader.visit(tokenPath(anywhere, version));
    expect(response.headers.get("Content-Security-Policy")).toMatch(/frame-ancestors .*\*/);
    const { message, origin } = await postedBy(response);
    expect(origin).toBe(anywhere);
    expect(await statusWith(message.accessToken, "agree")).toBe(200);
    expect(await statusWith(message.accessToken, "staff")).toBe(401);
  });

  test("gives trusted viewers all of the session", async () => {
    const reader = await readerOf("staff", "terms");
    const response = await reader.visit(tokenPath(viewer, version));
    expect(response.headers.get("Content-Security-Policy")).not.toContain("*");
    const { message } = await postedBy(response);
    expect(await statusWith(message.accessToken, "agree")).toBe(200);
    expect(await statusWith(message.accessToken, "staff")).toBe(200);
  });

  test("gives viewers of any site nothing about a reader who has agreed to nothing", async () => {
    const reader = await readerOf("staff");
    const { message } = await postedBy(await reader.visit(tokenPath(anywhere, version)));
    expect(message.accessToken).toBeUndefined();
    expect(message).toMatchObject(
      version === "" ? { profile: "missingAspect" } : { error: "missingCredentials" },
    );
  });
});

test("a token for clicks lives as long as theirs do, not as short as those of a password", async () => {
  const reader = await readerOf("staff", "terms");
  const { message } = await postedBy(await reader.visit(tokenPath(anywhere)));
  expect(message.expiresIn).toBe(300);
});

test("the plain service of 1.0 follows the Origin that a browser sends", async () => {
  const reader = await readerOf("staff", "terms");
  const response = await reader.visit("/iiif/auth/v1/token", { headers: { Origin: anywhere } });
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe(anywhere);
  const { accessToken } = (await response.json()) as { accessToken: string };
  expect([await statusWith(accessToken, "agree"), await statusWith(accessToken, "staff")]).toEqual([
    200, 401,
  ]);
});

test("only the named origins get tokens, and none of them may be a return address", async () => {
  const reader = browserOf(strict);
  await reader.visit("/iiif/auth/login/terms", { form: {} });
  const other = await postedBy(await reader.visit(tokenPath("https://other.example.net")));
  expect(other.message).toMatchObject({ profile: "invalidOrigin" });
  const named = await postedBy(await reader.visit(tokenPath(anywhere)));
  expect(named.message.accessToken).toMatch(/^[\w-]{43}$/);
  const back = await reader.visit("/iiif/auth/login/terms", { form: { return_to: `${anywhere}/page` } });
  expect([back.status, back.headers.get("Location")]).toEqual([200, null]);
});
