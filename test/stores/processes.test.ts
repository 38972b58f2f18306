// Two server processes over one cache folder: every answer is whole and right, also while one of them is killed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-shared-"));
const file = join(folder, "smalti.yaml");
let program: Built;

beforeAll(async () => {
  program = await buildProgram();
  const cache = JSON.stringify(join(folder, "cache"));
  writeFileSync(
    file,
    `sources: [{ name: fixtures, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
cache:
  render: { backend: filesystem, path: ${cache}, max_bytes: 300KiB, ttl: 1h }
  info: { backend: filesystem, path: ${cache}, max_bytes: 64KiB, ttl: 1h }
`,
  );
});

afterAll(() => {
  program?.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("two processes share a folder that is too small for their answers, one dies, and no answer is torn", async () => {
  const serve = () => program.serve(["-config", file]);
  const [one, two] = await Promise.all([serve(), serve()]);
  const paths = Array.from(
    { length: 24 },
    (_, n) => `/iiif/3/base.png/${n * 8},${n * 5},200,150/max/0/default.png`,
  );
  const expected = new Map<string, string>();
  for (const path of paths) expected.set(path, await digest(`${one.url}${path}`));
  const check = async ({ url }: { readonly url: string }, rounds: number) => {
    for (let n = 0; n < rounds; n++) {
      const path = paths[(n * 7) % paths.length] as string;
      expect(await digest(`${url}${path}`)).toBe(expected.get(path));
    }
  };
  await Promise.all([check(one, 60), check(one, 60), check(two, 60), check(two, 60)]);
  // Killed in the middle of its writes; the other goes on, and a third finds a sound folder.
  const busy = check(one, 40).catch(() => undefined);
  await check(two, 5);
  one.process.kill("SIGKILL");
  await Promise.all([busy, check(two, 60)]);
  await check(await serve(), 48);
});

async function digest(url: string): Promise<string> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  return `${response.status} ${Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")}`;
}
