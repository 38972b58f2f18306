import { expect, it } from "vitest";
import { createKnownNetworks } from "../../../src/server/access/logins/known-networks.ts";
import { heapSessions } from "../../../src/server/access/sessions/heap.ts";
import { createSessions } from "../../../src/server/access/sessions/sessions.ts";

const day = 24 * 3_600_000;
const ann = { user: "staff/ann", hash: "$2b$10$one", address: "192.0.2.1" };

function memory() {
  const clock = { time: Date.UTC(2030, 0, 1) };
  const now = () => clock.time;
  const sessions = createSessions({ store: heapSessions({ now }), ttlMs: day, now });
  return { clock, ...createKnownNetworks(sessions) };
}

it("a network is known to the user who has logged in from it, for thirty days", async () => {
  const { clock, has, note } = memory();
  expect(await has(ann)).toBe(false);
  await note(ann);
  clock.time += 30 * day - 1;
  expect(await has(ann)).toBe(true);
  clock.time += 1;
  expect(await has(ann)).toBe(false);
});

it.each([
  ["another user", { user: "staff/eve" }],
  ["the same name of another profile", { user: "press/ann" }],
  ["a user whose password has changed since", { hash: "$2b$10$two" }],
  ["another address", { address: "192.0.2.2" }],
  ["a client without a known address", { address: undefined }],
])("a network is not known to %s", async (_, other) => {
  const { has, note } = memory();
  await note(ann);
  expect(await has({ ...ann, ...other })).toBe(false);
});

it("addresses of one IPv6 network of 64 bits are one network", async () => {
  const { has, note } = memory();
  await note({ ...ann, address: "2001:db8:0:1::1" });
  expect(await has({ ...ann, address: "2001:db8:0:1:ffff::9" })).toBe(true);
  expect(await has({ ...ann, address: "2001:db8:0:2::1" })).toBe(false);
});

it("all networks are new while the store does not respond", async () => {
  const away = () => Promise.reject(new Error("away"));
  const { has, note } = createKnownNetworks({ knowsNetwork: away, rememberNetwork: away });
  await note(ann);
  expect(await has(ann)).toBe(false);
});
