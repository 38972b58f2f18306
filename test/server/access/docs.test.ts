// The examples of the pages on authorization and logins are valid, and their template is a login page.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseLoginTemplate } from "../../../src/server/access/logins/template.ts";
import { accessWarnings } from "../../../src/server/config/reading/warnings.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";

const pages = ["concepts/authorization", "how-to/logins"];
const text = pages
  .map((name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n");

const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);

/** Complete examples: those with rules, without the sources of the page. */
const examples = blocks("yaml")
  .filter((block) => /^ {2}rules:/m.test(block))
  .map((block) => block.replace(/^sources:\n(?: .*\n)*/m, ""));

let folder: string;
let htpasswd: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-docs-"));
  htpasswd = join(folder, "htpasswd");
  // Hash made by `openssl passwd -apr1`.
  writeFileSync(htpasswd, "ann:$apr1$smaltisa$ef96bdNVvd28froGUauvk.\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const startWith = (text: string) =>
  served(
    `${text.replace(/htpasswd_file: \.\/\w+/, `htpasswd_file: ${JSON.stringify(htpasswd)}`)}
sources:
${[...text.matchAll(/match: "([^"*]+)\//g)]
  .map(
    ([, prefix], n) =>
      `  - { name: s${n}, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: ${prefix}/ }`,
  )
  .filter(
    (line, n, all) => all.findIndex((other) => other.split("prefix")[1] === line.split("prefix")[1]) === n,
  )
  .join("\n")}`,
    { CALLBACK_SECRET: "partner", OIDC_CLIENT_SECRET: "members" },
  );

test("each starts without a doubt", async () => {
  expect(examples).toHaveLength(8);
  for (const text of examples) {
    const { service } = await startWith(text);
    // Without the sources and secrets of this test, which are not those of the page.
    const doubts = accessWarnings({ ...service.config(), sources: [] });
    expect(doubts).toEqual([]);
    await service.close();
  }
});

test.each([
  ["posters", "terms", {}, undefined],
  ["archive", "staff", { username: "ann", password: "secret" }, undefined],
  ["theses", undefined, undefined, { "X-Remote-User": "ann" }],
] as const)(
  "the example of %s shows its images to readers who have logged in as it requires",
  async (prefix, profile, form, known) => {
    const text = examples.slice(1).find((each) => each.includes(`match: "${prefix}/*"`)) as string;
    const app = await startWith(text);
    const target = `/iiif/3/${prefix}%2Fbase.png/full/max/0/default.png`;
    const size = async (headers: Record<string, string>) => {
      // The proxy of the examples is on the same machine.
      const response = await app.get(target, { headers, ...(known && { peer: "127.0.0.1" }) });
      return response.status === 200 ? (await response.arrayBuffer()).byteLength : 0;
    };
    const before = await size({});
    let headers: Record<string, string> = { ...known };
    if (profile) {
      const login = await app.get(`/iiif/auth/login/${profile}`, {
        ...(form && {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(form),
        }),
      });
      expect(login.status).toBe(200);
      headers = { Cookie: login.headers.get("Set-Cookie")?.split(";")[0] ?? "" };
    }
    expect(await size(headers)).toBeGreaterThan(before);
    await app.service.close();
  },
);

test("the example of newspapers shows its images to the room, without a login, and to nobody else", async () => {
  const text = examples.slice(1).find((each) => each.includes('match: "newspapers/*"')) as string;
  const app = await startWith(text);
  const statusFrom = async (peer: string) =>
    (await app.get("/iiif/3/newspapers%2Fbase.png/full/max/0/default.png", { peer })).status;
  expect([await statusFrom("192.0.2.7"), await statusFrom("198.51.100.7")]).toEqual([200, 401]);
  await app.service.close();
});

test("the template is read, and posts the fields that a login needs", () => {
  const [source = ""] = blocks("html");
  const fields = {
    Title: "T",
    LogoURL: "",
    Heading: "H",
    Description: "D",
    ConfirmLabel: "C",
    ReturnTo: "/r",
    Active: true,
    Username: "u",
    Error: "",
  };
  const html = parseLoginTemplate(source)(fields, (text) => text);
  for (const name of ["username", "password", "return_to"]) expect(html).toContain(`name="${name}"`);
});
