import { expect, test } from "vitest";
import { createSinglePeerWatch } from "../../../../src/server/api/http/client/single-peer.ts";

/** Sends requests from the given addresses, in turn, and returns the addresses of the warnings. */
function warned(count: number, peers: readonly (string | undefined)[], headers: Record<string, string> = {}) {
  const warnings: unknown[] = [];
  const watch = createSinglePeerWatch({ warn: (_, fields) => void warnings.push(fields?.address) });
  for (let n = 0; n < count; n++) watch(peers[n % peers.length], new Headers(headers));
  return warnings;
}
const forwarded = { "X-Forwarded-For": "203.0.113.9" };

test.each([
  ["a proxy that forwards", 100, ["10.0.0.5"], forwarded],
  ["any private address", 1000, ["172.18.0.1"], {}],
  ["this machine", 1000, ["::1"], {}],
] as const)("%s is named once", (_, count, peers, headers) => {
  expect(warned(count - 1, peers, headers)).toEqual([]);
  expect(warned(count, peers, headers)).toEqual([...peers]);
  expect(warned(5 * count, peers, headers)).toEqual([...peers]);
});

test.each([
  ["several addresses", ["10.0.0.5", "10.0.0.6"], forwarded],
  ["a public address", ["203.0.113.7"], forwarded],
  ["unknown addresses", [undefined], {}],
] as const)("%s are not", (_, peers, headers) => {
  expect(warned(5000, peers, headers)).toEqual([]);
});
