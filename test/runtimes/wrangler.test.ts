// Cloudflare's own tool with wrangler.toml: what it would upload, and the development server, with masters in
// a bucket.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSources } from "../../scripts/build-stamp.mjs";
import { freePort } from "../servers/free-port.ts";
import { startS3, testAccount } from "../servers/s3.ts";
import { expectJpeg, startProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const wrangler = `${root}test/runtimes/node_modules/.bin/wrangler`;

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-wrangler-"));
  env = { ...process.env, HOME: folder, WRANGLER_SEND_METRICS: "false", CI: "true", NO_COLOR: "1" };
  // In a copy: the tool writes next to its configuration, and must not change the suite's build.
  for (const entry of ["dist", "wrangler.toml", ...buildSources])
    cpSync(join(root, entry), join(folder, entry), { recursive: true });
  symlinkSync(`${root}node_modules`, join(folder, "node_modules"));
  mkdirSync(join(folder, ".config"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

test("deploy --dry-run builds, and uploads every module but those on demand in less than the 3 MB of the free plan", () => {
  rmSync(join(folder, "dist"), { recursive: true });
  const args = ["deploy", "--dry-run", "--outdir=uploaded"];
  const output = execFileSync(wrangler, args, {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(output).toContain("smalti: dist/ was built in");
  const [, size, unit] = /gzip: ([\d.]+) (KiB|MiB)/.exec(output) ?? [];
  // https://developers.cloudflare.com/workers/platform/limits/
  expect(Number(size) * (unit === "MiB" ? 2 ** 20 : 2 ** 10)).toBeLessThan(3_000_000);
  const modules = [...readFileSync(join(folder, "dist/workerd.capnp"), "utf8").matchAll(/embed "([^"]+)"/g)];
  expect(modules.length).toBeGreaterThan(10);
  for (const [, name = ""] of modules)
    expect(existsSync(join(folder, "uploaded", name)), name).toBe(!name.includes("/on-demand/"));
});

test("dev serves masters of a bucket, pages and static files, within the memory of an isolate", async () => {
  // R2 has the region "auto", and no session tokens.
  const { accessKeyId, secretAccessKey } = testAccount;
  const bucket = await startS3({
    bucket: "masters",
    region: "auto",
    account: { accessKeyId, secretAccessKey },
  });
  bucket.put("a.jpg", readFileSync(`${root}test/fixtures/jpg-baseline-420.jpg`));
  const [port, inspector] = await Promise.all([freePort(), freePort()]);
  const config = `sources: [{ name: r2, type: s3, endpoint: "${bucket.url}", bucket: masters, region: auto, path_style: true, session_token_env: "" }]\nimage: { formats: [avif] }`;
  const args = [
    "dev",
    `--port=${port}`,
    `--inspector-port=${inspector}`,
    "--ip=127.0.0.1",
    "--show-interactive-dev-session=false",
    `--var=SMALTI_CONFIG:${config}`,
    `--var=AWS_ACCESS_KEY_ID:${accessKeyId}`,
    `--var=AWS_SECRET_ACCESS_KEY:${secretAccessKey}`,
    "--var=SERVICE_ADMIN_USER:ann",
    "--var=SERVICE_ADMIN_PASS:s3cret-w0rd",
  ];
  const program = startProgram([wrangler, ...args], { cwd: folder, env });
  try {
    await program.said(/Ready on/);
    const url = `http://127.0.0.1:${port}`;
    const info = await fetch(`${url}/iiif/3/a.jpg/info.json`);
    expect(await info.json()).toMatchObject({ width: 600, height: 400 });
    await expectJpeg(`${url}/iiif/3/a.jpg/0,0,256,256/128,/0/default.jpg`);
    const avif = await fetch(`${url}/iiif/3/a.jpg/0,0,256,256/128,/0/default.avif`);
    expect([avif.status, await avif.json()]).toMatchObject([501, { code: "module_missing" }]);
    const statuses = [
      ["/", 200],
      ["/static/openseadragon/openseadragon.min.js", 200],
      ["/static/admin/admin.css", 200],
      ["/admin/", 401],
    ] as const;
    for (const [path, status] of statuses) expect((await fetch(url + path)).status, path).toBe(status);
    const headers = { Authorization: `Basic ${btoa("ann:s3cret-w0rd")}` };
    const admin = await fetch(`${url}/admin/`, { headers });
    expect(await admin.text()).toContain("</html>");
    expect(admin.status).toBe(200);
    // The isolate has 128 MB; half of them are for the code, the runtime and requests in flight.
    const output = program.output();
    expect(output).toContain("32 MiB for images");
    expect(output).not.toMatch(/cache \w+ +filesystem/);
    // The build wrote into dist/, which is not watched.
    expect(output.match(/Running: node scripts/g)?.length).toBeLessThanOrEqual(3);
  } finally {
    program.signal("SIGINT");
    await program.ended;
    await bucket.close();
  }
});
