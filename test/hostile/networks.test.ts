// One client with all addresses of an IPv6 network counts as one: for limits, for turns, and for the memory
// of responses that it reads slowly.

import { expect, test } from "vitest";
import { createSendings } from "../../src/base/network/sendings.ts";
import { createCounts } from "../../src/base/telemetry/count.ts";
import { createSinglePeerWatch } from "../../src/server/api/http/client/single-peer.ts";
import { admissionCounts, createAdmission } from "../../src/server/images/admission/admit.ts";
import { served } from "../served.ts";

const addresses = Array.from({ length: 40 }, (_, n) => `2001:db8:1:2:${(n * 7919).toString(16)}::${n + 1}`);

test("40 addresses of one network do not pass a limit of 2, whether the peer or a proxy names them", async () => {
  const app = await served("trusted_proxies: [10.0.0.0/8]\nlimits: { max_in_flight_per_ip: 2 }");
  const target = (n: number) => `/iiif/3/base.png/${n},0,32,32/max/0/default.png`;
  const statuses = async (ask: (address: string, n: number) => Promise<Response>) =>
    (await Promise.all(addresses.map(ask))).map(({ status }) => status);
  // Requests may arrive after others have ended, but most of them arrive together.
  const refused = (found: readonly number[]) => found.filter((status) => status === 429).length;
  expect(refused(await statuses((peer, n) => app.get(target(n), { peer })))).toBeGreaterThan(20);
  const hops = await statuses((address, n) =>
    app.get(target(40 + n), {
      peer: "10.0.0.1",
      headers: { "X-Forwarded-For": n % 2 ? `[${address.toUpperCase()}]:443` : address },
    }),
  );
  expect(refused(hops)).toBeGreaterThan(20);
});

test("40 addresses of one network have one turn against one of another", async () => {
  const admission = createAdmission(
    { permits: 1, memory: 2 ** 30, waiting: 100, waitMs: Number.POSITIVE_INFINITY },
    { counts: createCounts(...admissionCounts), wait: { record() {} } },
  );
  const order: string[] = [];
  const run = (client: string) =>
    admission.run({ work: { kind: "tile", ms: 5 }, memory: 1, client }, undefined, async () => {
      order.push(client);
      await new Promise((resolve) => setTimeout(resolve));
    });
  const work = [...addresses, "2001:db8:1:3::1"].map(run);
  await Promise.all(work);
  expect(order.indexOf("2001:db8:1:3::1")).toBeLessThan(4);
});

test("40 addresses of one network do not take more of the memory for responses than one may", () => {
  const sendings = createSendings(8);
  const send = (address: string) => void sendings.send(new Uint8Array(1), address, 0, () => {});
  for (const address of addresses.slice(0, 4)) send(address);
  expect(() => send(addresses[4] as string)).toThrow("Too many large responses");
  send("2001:db8:1:3::1");
});

test("a proxy with several addresses of one network is named as the only client", () => {
  const warnings: unknown[] = [];
  const watch = createSinglePeerWatch({ warn: (text) => void warnings.push(text) });
  for (let n = 0; n < 1000; n++) watch(`fd00::${(n % 8) + 1}`, new Headers());
  expect(warnings).toHaveLength(1);
});
