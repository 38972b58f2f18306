// /admin/visitors: who uses what, and nothing that names a person.

import { expect, test } from "vitest";
import { served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

const agent = "ExampleBot/1.0 (+https://bot.example/<script>)";

async function used(mode: string) {
  const app = await served(
    `crawlers: { mode: ${mode}, listed_origins: ["https://www.example.org"] }`,
    operator,
  );
  const ask = (headers: Record<string, string>) =>
    app.get("/iiif/3/base.png/full/max/0/default.jpg", { peer: "192.0.2.77", headers });
  expect((await ask({ "User-Agent": agent })).status).toBe(200);
  const { origin } = new URL("https://www.example.org/page");
  await app.get("/iiif/3/base.png/full/100,/0/default.jpg", {
    peer: "2001:db8:1:2::3",
    headers: { "User-Agent": "Mozilla/5.0", Referer: `${origin}/page?reader=ann` },
  });
  const response = await app.get("/admin/visitors", { headers: asOperator });
  expect(response.status).toBe(200);
  return response.text();
}

test("the page shows classes, shortened networks, sites and crawlers", async () => {
  const html = await used("observe");
  for (const text of ["192.0.2.0/24", "2001:db8:1::/48", "https://www.example.org", "ExampleBot/1.0"])
    expect(html).toContain(text);
  expect(html).toContain("Would wait");
  // No address, no page of a reader, no markup of others.
  for (const text of ["192.0.2.77", "2001:db8:1:2", "reader=ann", "/<script>"])
    expect(html).not.toContain(text);
});

test("with mode: limit it says what happened, and without a mode how to begin", async () => {
  expect(await used("limit")).not.toContain("Would wait");
  const app = await served("", operator);
  expect(await (await app.get("/admin/visitors", { headers: asOperator })).text()).toContain("observe");
});
