// `smalti doctor auth`, as an operator runs it against a server that is there.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { hashes } from "../server/api/auth/served.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let file: string;
let url: string;

const settings = (
  more = "",
) => `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
auth:
  cors: { token_origins: ["https://viewer.example.org"] }
  profiles:
    terms: { pattern: clickthrough, access_service: { backend: builtin } }
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "${hashes.bcrypt}" } } }
  rules:
    - { match: base.png, profile: staff }
    - { match: "*", profile: terms }
${more}`;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-doctor-"));
  file = join(folder, "smalti.yaml");
  writeFileSync(file, settings());
  url = (await built.serve(["-config", file])).url;
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const doctor = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  built.command(["doctor", "auth", "-config", file, ...args], { env });

describe("smalti doctor auth", () => {
  test("tries a login of each profile, and exits 0 if all is in order", async () => {
    const { code, out, err } = await built.run(["doctor", "auth", "-config", file, "--url", url]);
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => line.split("  ").slice(0, 1)[0]?.trim())).toEqual([
      ...Array.from({ length: lines.length - 2 }, () => "good"),
      "",
      "No problem was found.",
    ]);
    for (const step of ["probe", "info.json", "image", "login", "cookie", "token", "access", "logout"])
      expect(out).toMatch(new RegExp(`^good +terms: ${step.replace(".", "\\.")} `, "m"));
    expect(out).toMatch(/^good +staff: login .*SERVICE_DOCTOR_USERNAME/m);
  });

  test("requests from this machine if neither --url nor base_url is given", async () => {
    const { code, out } = await doctor(["--identifier", "tile.tif"], { SERVICE_ADDR: new URL(url).host });
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`${url}, as a viewer at https://viewer.example.org`),
    ]);
  });

  test("logs in with a name and a password from the environment, which it does not print", async () => {
    const env = { SERVICE_DOCTOR_USERNAME: "ann", SERVICE_DOCTOR_PASSWORD: "secret" };
    const right = await doctor(["--url", url, "--identifier", "base.png"], env);
    expect(right.code).toBe(0);
    expect(right.out).toMatch(
      /^good +staff: access +the probe with the token, the whole image with the cookie$/m,
    );
    const wrong = await doctor(["--url", url, "--identifier=base.png"], {
      ...env,
      SERVICE_DOCTOR_PASSWORD: "other1",
    });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain("[credentials]");
    expect(right.out + wrong.out).not.toMatch(/\bsecret\b|other1/);
  });

  test("exits 1 if there is a problem, with the expected behaviour and the change to make", async () => {
    const { code, out } = await doctor([
      "--url",
      url,
      "--origin",
      "https://other.example.org",
      "--identifier",
      "tile.tif",
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^problem +terms: token +pages of https:\/\/other\.example\.org get no tokens \[token_origins\]\n +expected: .*\n +what to do: +Add "https:\/\/other\.example\.org" to auth\.cors\.token_origins/m,
    );
    expect(out).toMatch(/\n1 problem was found\.\n$/);
  });

  test("prints the findings as JSON", async () => {
    // Nothing listens at port 1.
    const { code, out } = await doctor(["--json", "--url=http://127.0.0.1:1"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      problems: 1,
      findings: [
        { step: "address", level: "good", code: "ok" },
        {
          profile: expect.any(String),
          step: "probe",
          level: "problem",
          code: "unreachable",
          advice: expect.any(String),
        },
      ],
    });
  });

  test("uses base_url if no address is given, and warns about the configuration's own faults", async () => {
    const other = join(folder, "public.yaml");
    writeFileSync(other, settings('base_url: "https://images.invalid/images"'));
    const { code, out } = await built.run(["doctor", "auth", "-config", other]);
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +settings +trusted_proxies: .*wrong passwords/m);
    expect(out).toMatch(/^good +address +https:\/\/images\.invalid\/images,/m);
    expect(out).toMatch(/the name images\.invalid cannot be resolved on this machine \(E\w+\)/);
  });

  test.each([
    [["doctor", "auth", "--url"], /--url needs a value/],
    [["doctor", "auth", "--url", "ftp://a"], /--url expects the public address/],
    [["doctor", "auth", "--url", "https://ann:secret@images.example.org"], /without a name and password/],
    [["doctor", "auth", "--origin", "viewer"], /--origin expects/],
    [["doctor", "auth", "--client-ip", "here"], /--client-ip expects an address/],
    [["doctor", "auth", "--identifier", "../a"], /identifier without empty, \. or \.\. parts/],
    [["doctor", "auth", "--fast"], /doctor auth does not know --fast/],
  ])("explains in one line what is wrong with %j", async (args, message) => {
    const { code, out, err } = await built.command([...args, "-config", file]);
    expect([code, out]).toEqual([args.includes("--identifier") ? 1 : 2, ""]);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/secret|\n\s+at /);
  });

  test("reports that nothing is gated, and which identifiers are public", async () => {
    const none = join(folder, "none.yaml");
    writeFileSync(none, "log: { level: info }\n");
    expect((await built.command(["doctor", "auth", "-config", none])).err).toMatch(/no section auth/);
    const some = join(folder, "some.yaml");
    writeFileSync(some, settings().replace('match: "*"', 'match: "more/*"'));
    const { code, err } = await built.command([
      "doctor",
      "auth",
      "-config",
      some,
      "--identifier",
      "tile.tif",
    ]);
    expect([code, err]).toEqual([1, expect.stringMatching(/no rule of auth\.rules names tile\.tif/)]);
  });

  test("is listed in the help", async () => {
    expect((await built.command(["help"])).out).toContain("smalti doctor auth");
  });
});
