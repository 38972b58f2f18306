// TLS servers with certificates of an authority of their own, made by openssl: right ones and wrong ones.

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

export type CertificateKind = "good" | "expired" | "not yet valid" | "another host" | "self-signed";

export interface TlsOrigin {
  readonly url: string;
  close(): Promise<void>;
}

const run = promisify(execFile);
const validity: Readonly<Partial<Record<CertificateKind, readonly [string, string]>>> = {
  expired: ["20200101000000Z", "20210101000000Z"],
  "not yet valid": ["20900101000000Z", "20910101000000Z"],
};

/** Makes an authority in a folder; its certificate is `ca.pem` there. */
export async function makeAuthority(folder: string): Promise<string> {
  await mkdir(join(folder, "new"));
  await writeFile(join(folder, "index.txt"), "");
  await writeFile(
    join(folder, "ca.cnf"),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${folder}/index.txt\nnew_certs_dir = ${folder}/new\ncertificate = ${folder}/ca.pem\nprivate_key = ${folder}/ca.key\nrand_serial = yes\ndefault_md = sha256\ndefault_days = 30\npolicy = any\nunique_subject = no\ncopy_extensions = copy\n[any]\ncommonName = supplied\n`,
  );
  const subject = ["-subj", "/CN=An authority of the tests", "-days", "30"];
  const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", join(folder, "ca.key")];
  const extensions = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"];
  await run("openssl", ["req", "-x509", ...key, ...subject, ...extensions, "-out", join(folder, "ca.pem")]);
  return join(folder, "ca.pem");
}

/** Starts a server on a free port of 127.0.0.1 that answers each request with 404. */
export async function startTls(folder: string, kind: CertificateKind): Promise<TlsOrigin> {
  const name = kind.replaceAll(" ", "-");
  const [key, request, certificate] = ["key", "csr", "pem"].map((end) => join(folder, `${name}.${end}`));
  const host = kind === "another host" ? "DNS:other.example.org" : "IP:127.0.0.1";
  const made = ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", `${key}`, "-subj", `/CN=${name}`];
  const names = ["-addext", `subjectAltName=${host}`];
  if (kind === "self-signed")
    await run("openssl", [...made, ...names, "-x509", "-days", "30", "-out", `${certificate}`]);
  else {
    await run("openssl", [...made, ...names, "-out", `${request}`]);
    const [from, to] = validity[kind] ?? [];
    const dates = from && to ? ["-startdate", from, "-enddate", to] : [];
    const signed = ["-in", `${request}`, "-out", `${certificate}`, ...dates];
    await run("openssl", ["ca", "-batch", "-notext", "-config", join(folder, "ca.cnf"), ...signed]);
  }
  const files = { key: await readFile(`${key}`), cert: await readFile(`${certificate}`) };
  const server = createServer(files, (_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
