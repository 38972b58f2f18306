// Sources whose servers have a certificate that is not accepted: `smalti check`, /ready and the log name it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CertificateKind, makeAuthority, startTls, type TlsOrigin } from "../servers/certificates.ts";
import { type Built, buildProgram } from "./built.ts";

const problems: Readonly<Partial<Record<CertificateKind, RegExp>>> = {
  expired: /certificate of .* has expired\. Renew it/,
  "not yet valid": /certificate of .* is not valid yet\. Set the clock/,
  "another host": /certificate of .* is for another host\. Use a host name/,
  "self-signed": /certificate of .* is self-signed.*NODE_EXTRA_CA_CERTS/,
};
const kinds = Object.keys(problems) as CertificateKind[];

let built: Built;
let folder: string;
let authority: string;
const servers = new Map<CertificateKind, TlsOrigin>();
beforeAll(async () => {
  built = await buildProgram();
  folder = await mkdtemp(join(tmpdir(), "smalti-certificates-"));
  authority = await makeAuthority(folder);
  for (const kind of [...kinds, "good"] as const) servers.set(kind, await startTls(folder, kind));
});
afterAll(async () => {
  await Promise.all([...servers.values()].map(({ close }) => close()));
  await rm(folder, { recursive: true });
  built.remove();
});

async function configOf(kind: CertificateKind): Promise<string> {
  const url = servers.get(kind)?.url;
  const path = join(folder, `${kind.replaceAll(" ", "-")}.yaml`);
  await writeFile(
    path,
    `addr: 127.0.0.1:0
sources:
  - { name: web, type: http, url: "${url}/{identifier}" }
  - { name: bucket, prefix: b/, type: s3, bucket: masters, endpoint: "${url}", path_style: true, anonymous: true }
cache: { origin: { backend: heap } }
`,
  );
  return path;
}

const env = () => ({ NODE_EXTRA_CA_CERTS: authority });

test.each(kinds)("smalti check names a certificate that is %s, and what to do", async (kind) => {
  const { out, err } = await built.run(["check", "-config", await configOf(kind)], { env: env() });
  const lines = `${out}${err}`.split("\n").filter((line) => /certificate/.test(line));
  expect(lines.join("\n")).toMatch(problems[kind] as RegExp);
  expect(lines.filter((line) => (problems[kind] as RegExp).test(line)).length).toBe(2);
});

test("a certificate of an authority that nobody trusts names the authority", async () => {
  const { out, err } = await built.run(["check", "-config", await configOf("good")]);
  expect(out + err).toMatch(/authority that this machine does not know.*NODE_EXTRA_CA_CERTS/);
});

test("a good certificate is no problem", async () => {
  const { out, err } = await built.run(["check", "-config", await configOf("good")], { env: env() });
  expect(out + err).not.toMatch(/the certificate of/);
});

test("/ready and the log name it too, and image information does not name the host", async () => {
  const served = await built.serve(["serve", "-config", await configOf("expired")], { env: env() });
  const ready = await (await fetch(`${served.url}/ready`)).json();
  for (const source of ready.sources) expect(source.error).toMatch(/has expired\. Renew it/);
  const response = await fetch(`${served.url}/iiif/3/a.jpg/info.json`);
  const problem = await response.text();
  expect(problem).toContain("origin_unavailable");
  expect(problem).not.toMatch(/certificate|127\.0\.0\.1/);
  await served.said(/the certificate of 127\.0\.0\.1:\d+ has expired\. Renew it/);
  served.process.kill();
  await served.ended;
});
