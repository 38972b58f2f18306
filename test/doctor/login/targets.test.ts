// Which images the doctor looks at.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTargets, targetsAt } from "../../../src/doctor/login/targets.ts";
import { fixture } from "../../host.ts";
import { type Served, served } from "../../served.ts";
import { type Laid, layFolder } from "../../server/api/presentation/folder.ts";
import { writeZip } from "../../server/sources/archive/written-zip.ts";

let laid: Laid;
let app: Served;
beforeAll(async () => {
  laid = await layFolder();
  await laid.put("open.jpg", "jpg-gray.jpg");
  await laid.put("deep/er/1.jpg", "jpg-gray.jpg");
  await laid.put("deep/er/secret/2.jpg", "jpg-gray.jpg");
  writeFileSync(join(laid.root, "box.zip"), writeZip([{ name: "a.jpg", data: fixture("jpg-gray.jpg") }]));
  await laid.write("empty/notes.txt", "notes");
  app = await served(`${laid.yaml()}auth:
  profiles:
    one: { pattern: clickthrough, access_service: { backend: builtin } }
    two: { pattern: clickthrough, access_service: { backend: builtin } }
    three: { pattern: clickthrough, access_service: { backend: builtin } }
    four: { pattern: clickthrough, access_service: { backend: builtin } }
    five: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } }
    six: { pattern: clickthrough, access_service: { backend: builtin } }
    unused: { pattern: clickthrough, access_service: { backend: builtin } }
  rules:
    - { match: "deep/er/1.jpg", profile: one }
    - { match: "empty/*", profile: two }
    - { match: "deep/*", profile: three }
    - { match: "deep/er/secret/*", profile: four }
    - { match: "shared.jpg", profile: [five, one] }
    - { match: "box.zip", profile: six }
`);
});
afterAll(async () => {
  await app.service.close();
  await laid.drop();
});

const parts = (lists = true) => ({ auth: app.service.config().auth!, sources: app.service.sources, lists });

describe("the doctor looks at", () => {
  test("an image of each profile that a rule gives to one, and a made-up name if there is none", async () => {
    expect(await findTargets(parts())).toEqual([
      { profile: "one", profiles: ["one"], identifier: "deep/er/1.jpg", exists: true },
      { profile: "two", profiles: ["two"], identifier: "empty/smalti-doctor", exists: false },
      // The first image below it is of another profile.
      { profile: "three", profiles: ["three"], identifier: "deep/er/secret/2.jpg", exists: true },
      // A rule before it has all that the one of the profile four names.
      { profile: "five", profiles: ["five", "one"], identifier: "shared.jpg", exists: true },
      { profile: "six", profiles: ["six"], identifier: "box.zip/a.jpg", exists: true },
    ]);
  });

  test("only names that rules spell out, if a hook maps identifiers", async () => {
    expect(await findTargets(parts(false))).toEqual([
      { profile: "one", profiles: ["one"], identifier: "deep/er/1.jpg", exists: true },
      { profile: "two", profiles: ["two"], identifier: "empty/smalti-doctor", exists: false },
      { profile: "three", profiles: ["three"], identifier: "deep/smalti-doctor", exists: false },
      { profile: "five", profiles: ["five", "one"], identifier: "shared.jpg", exists: true },
      { profile: "six", profiles: ["six"], identifier: "box.zip", exists: false },
    ]);
  });

  test("the one that was asked for, by each profile of its rule, unless it is public", () => {
    expect(targetsAt("deep/x.jpg", parts())).toEqual([
      { profile: "three", profiles: ["three"], identifier: "deep/x.jpg", exists: true },
    ]);
    const profiles = ["five", "one"];
    expect(targetsAt("shared.jpg", parts())).toEqual(
      profiles.map((profile) => ({ profile, profiles, identifier: "shared.jpg", exists: true })),
    );
    expect(() => targetsAt("open.jpg", parts())).toThrow(/no rule of auth\.rules names open\.jpg/);
  });
});
