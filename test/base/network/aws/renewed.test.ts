import { describe, expect, it } from "vitest";
import { CredentialsError, type RoleCredentials } from "../../../../src/base/network/aws/credentials.ts";
import { renewedCredentials } from "../../../../src/base/network/aws/renewed.ts";

const minute = 60_000;

/** A provider over a service that hands out numbered credentials, with a clock that stands still. */
function provider(lifetimeMs: number | undefined) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const service = { fetched: 0, fails: false };
  const credentials = renewedCredentials({
    now: () => clock.now,
    fetch: async (): Promise<RoleCredentials> => {
      service.fetched++;
      if (service.fails) throw new CredentialsError("the service is away");
      return {
        accessKeyId: `key-${service.fetched}`,
        secretAccessKey: "s",
        ...(lifetimeMs !== undefined && { expiresAt: clock.now + lifetimeMs }),
      };
    },
  });
  const key = async () => (await credentials.get()).accessKeyId;
  /** Lets a renewal in the background end. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, service, credentials, key, settle };
}

describe("credentials of a role", () => {
  it("are renewed in the background before they expire", async () => {
    const { clock, key, settle, service } = provider(60 * minute);
    expect(await key()).toBe("key-1");
    clock.now += 49 * minute;
    expect(await key()).toBe("key-1");
    expect(service.fetched).toBe(1);
    clock.now += 2 * minute;
    expect(await key()).toBe("key-1");
    await settle();
    expect(await key()).toBe("key-2");
    expect(service.fetched).toBe(2);
  });

  it("that are short-lived are used for half of their time before they are renewed", async () => {
    const { clock, key, settle, service } = provider(4 * minute);
    await key();
    clock.now += 1 * minute;
    await key();
    await settle();
    expect(service.fetched).toBe(1);
    clock.now += 1.5 * minute;
    await key();
    await settle();
    expect(await key()).toBe("key-2");
  });

  it("stay until they expire if renewals fail, which are tried seldom, and come back afterwards", async () => {
    const { clock, key, settle, service } = provider(60 * minute);
    await key();
    service.fails = true;
    clock.now += 55 * minute;
    for (let i = 0; i < 50; i++) {
      expect(await key()).toBe("key-1");
      await settle();
    }
    expect(service.fetched).toBe(2);
    clock.now += 5 * minute;
    await expect(key()).rejects.toThrow("away");
    service.fails = false;
    clock.now += 1 * minute;
    expect(await key()).toMatch(/^key-/);
  });

  it("without an end are fetched once", async () => {
    const { clock, key, service } = provider(undefined);
    await key();
    clock.now += 10_000 * minute;
    expect(await key()).toBe("key-1");
    expect(service.fetched).toBe(1);
  });

  it("that have expired when they arrive are an error that names the clock", async () => {
    const { key } = provider(-minute);
    await expect(key()).rejects.toThrow(/clock/);
  });

  it("that another request has renewed are not renewed again", async () => {
    const { credentials, service } = provider(60 * minute);
    const old = await credentials.get();
    const [one, two] = await Promise.all([credentials.renew(old), credentials.renew(old)]);
    expect(one).toBe(two);
    expect(await credentials.renew(old)).toBe(one);
    expect(service.fetched).toBe(2);
  });
});
