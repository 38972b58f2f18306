// The addresses that requests to a provider may reach.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProviderFetch } from "../../../../src/server/access/oidc/provider-fetch.ts";

let server: Server;
let here: string;
let asked = 0;
beforeAll(async () => {
  server = createServer((_, response) => {
    asked++;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test("a provider elsewhere leads to no service of this machine; one on this machine does", async () => {
  const ofElsewhere = createProviderFetch("https://login.example.org");
  await expect(ofElsewhere(`${here}/token`, {})).rejects.toMatchObject({
    why: "misconfigured",
    message: expect.stringContaining("expected https at 127.0.0.1"),
  });
  expect(asked).toBe(0);
  const answer = await createProviderFetch(here)(`${here}/token`, {});
  expect([answer.status, asked]).toEqual([200, 1]);
});
