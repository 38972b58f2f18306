// The built program when its configuration page saves: what survives a restart, and a crash.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/server/config/reading/load.ts";
import { asOperator, operator } from "../admin/operator.ts";
import { seeded } from "../seeded.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built.remove());

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-cli-config-"));
  mkdirSync(join(folder, "kept"));
  file = join(folder, "smalti.yaml");
  writeFileSync(file, original);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const original =
  "# of the library\ncontent_state: { store: { enabled: true, dir: ./kept, write_token: hunter2 } }\ncache: { origin: { backend: heap } }\n";

const fields = {
  read_timeout: "30s",
  write_timeout: "60s",
  shutdown_timeout: "15s",
  "log.level": "info",
  "log.format": "text",
  "image.max_pixel_area": "1000000000",
  "image.max_concurrent": "0",
  "image.max_output_area": "0",
  "image.max_output_width": "0",
  "image.max_output_height": "0",
  "image.tile_size": "512",
};

// The address is set by the environment, so that the form does not have it.
const save = (url: string, typed: Readonly<Record<string, string>>) =>
  fetch(`${url}/admin/config`, {
    method: "POST",
    body: new URLSearchParams({ ...fields, ...typed }),
    headers: asOperator,
    redirect: "manual",
  });

const page = async (url: string) => (await fetch(`${url}/admin/config`, { headers: asOperator })).text();

const load = () => {
  const { config, problems } = loadConfig(readFileSync(file, "utf8"), {});
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};

test("pending changes take effect after a restart, and the environment is not written to the file", async () => {
  const options = { env: { ...operator, SERVICE_LOG_FORMAT: "text" } };
  const server = await built.serve(["-config", file], options);
  const { "log.format": _, ...unlocked } = fields;
  const answer = await fetch(`${server.url}/admin/config`, {
    method: "POST",
    body: new URLSearchParams({ ...unlocked, "log.level": "warn", "image.tile_size": "256" }),
    headers: asOperator,
    redirect: "manual",
  });
  expect(answer.status, await answer.text()).toBe(303);
  expect(await page(server.url)).toMatch(/id="waiting".*image\.tile_size/s);
  // A reload finds nothing left to do after the save.
  writeFileSync(file, readFileSync(file, "utf8").replace("level: warn", "level: info"));
  server.process.kill("SIGHUP");
  await server.said(/configuration read again needRestart=\["image\.tile_size"\]/);
  server.process.kill("SIGTERM");
  await server.ended;

  const text = readFileSync(file, "utf8");
  expect(text).not.toMatch(/^addr:|127\.0\.0\.1|format:/m);
  expect(text).toContain("dir: ./kept, write_token: hunter2");
  const again = await built.serve(["-config", file], options);
  const html = await page(again.url);
  expect(html).not.toContain('id="waiting"');
  expect(html).toMatch(/name="image\.tile_size"[^>]* value="256"/);
  expect(html).not.toContain("hunter2");
});

test("a program that is killed while it saves starts again with the old file or a new one, and clears up", async () => {
  const below = seeded(3);
  for (let round = 0; round < 4; round++) {
    const server = await built.serve(["-config", file], { env: operator });
    const sent = Array.from({ length: 40 }, (_, turn) =>
      save(server.url, { "image.tile_size": String(256 + turn) }).then(
        ({ status }) => status,
        () => undefined,
      ),
    );
    await sent[0];
    await new Promise((resolve) => setTimeout(resolve, below(150)));
    server.process.kill("SIGKILL");
    await server.ended;
    expect(await sent[0]).toBe(303);
    const { image, content_state } = load();
    expect(image.tile_size).toBeGreaterThanOrEqual(256);
    expect(image.tile_size).toBeLessThan(256 + 40);
    expect(content_state.store).toMatchObject({ dir: "./kept", write_token: "hunter2" });
  }
  writeFileSync(join(folder, ".smalti.yaml.of-another-end.smalti-tmp"), "");
  const last = await built.serve(["-config", file], { env: operator });
  expect(await page(last.url)).toMatch(/name="image\.tile_size"/);
  expect(readdirSync(folder).filter((name) => name.endsWith("-tmp"))).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  "a user who may not write the file or its folder sees the fields disabled",
  async () => {
    for (const readable of [folder, join(built.dist, "..")]) chmodSync(readable, 0o755);
    chmodSync(file, 0o644);
    writeFileSync(file, "cache: { origin: { backend: heap } }\n");
    const server = await built.serve(["-config", file], { env: operator, uid: 65534 });
    expect(await page(server.url)).toContain("the file is read-only for this service");
    expect((await save(server.url, { "log.level": "warn" })).status).toBe(409);
    expect(readFileSync(file, "utf8")).toBe("cache: { origin: { backend: heap } }\n");
    chmodSync(file, 0o664);
    chmodSync(folder, 0o777);
    expect(await page(server.url)).toContain("the file is read-only for this service");
    chmodSync(folder, 0o755);
    chmodSync(file, 0o666);
    expect(await page(server.url)).toContain("the folder of the file is read-only for this service");
    expect((await save(server.url, { "log.level": "warn" })).status).toBe(409);
    // It may write the file, but not give the new one the group of the old one, which therefore gets no
    // rights.
    chmodSync(folder, 0o777);
    expect((await save(server.url, { "log.level": "warn" })).status).toBe(303);
    expect(statSync(file).uid).toBe(65534);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("606");
  },
);
