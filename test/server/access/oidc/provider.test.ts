// The cached metadata of a provider, and its lifetime.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createProvider } from "../../../../src/server/access/oidc/provider.ts";
import { type OidcProvider, startProvider } from "../../../servers/oidc.ts";

let real: OidcProvider;
beforeAll(async () => {
  real = await startProvider();
});
afterEach(() => {
  vi.useRealTimers();
  real.answer = undefined;
  real.asked.length = 0;
});
afterAll(() => real.stop());

const hours = (count: number) => vi.advanceTimersByTime(count * 3_600_000);
const fail = () => new Response("", { status: 500 });

test("metadata are valid for an hour, and for a day while the provider fails", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const provider = createProvider(real.issuer);
  for (const [after, asked] of [
    [0, 1],
    [0.9, 1],
    [0.2, 2],
  ] as const) {
    hours(after);
    expect((await provider.metadata()).issuer).toBe(real.issuer);
    expect(real.asked).toHaveLength(asked);
  }
  real.answer = fail;
  hours(23);
  expect((await provider.metadata()).issuer).toBe(real.issuer);
  hours(1.1);
  await expect(provider.metadata()).rejects.toMatchObject({ why: "unavailable" });
  real.answer = undefined;
  hours(0.1);
  expect((await provider.metadata()).issuer).toBe(real.issuer);
});

test("concurrent readers of metadata share one request, unless runtimes forbid waiting for another", async () => {
  for (const [connectionsEndWithRequest, asked] of [
    [false, 1],
    [true, 5],
  ] as const) {
    real.asked.length = 0;
    const provider = createProvider(real.issuer, { connectionsEndWithRequest });
    await Promise.all(Array.from({ length: 5 }, () => provider.metadata()));
    expect(real.asked).toHaveLength(asked);
  }
});

test("a check requests again after a minute, and reports what is wrong", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const provider = createProvider(real.issuer);
  await provider.check();
  real.answer = fail;
  await provider.check();
  vi.advanceTimersByTime(61_000);
  await expect(provider.check()).rejects.toThrow(/^localhost:\d+ answered with status 500$/);
  expect((await provider.metadata()).issuer).toBe(real.issuer);
});

test("keys are those of the address that the metadata name", async () => {
  const provider = createProvider(real.issuer);
  const metadata = await provider.metadata();
  const find = provider.keysOf(metadata);
  expect(provider.keysOf({ ...metadata })).toBe(find);
  expect(provider.keysOf({ ...metadata, jwks_uri: `${real.issuer}/other` })).not.toBe(find);
  for (const jwks_uri of [undefined, "", "x", 5] as string[])
    expect(() => provider.keysOf({ ...metadata, jwks_uri })).toThrow(/jwks_uri/);
});
