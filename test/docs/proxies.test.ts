// The configurations for Caddy and nginx in the pages are accepted by these programs, and the one that tries
// TLS on the reader's machine serves https.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasCaddy } from "../servers/caddy.ts";
import { freePort } from "../servers/free-port.ts";
import { blocksOf, docsPages } from "./pages.ts";

const blocks = docsPages.flatMap((page) =>
  blocksOf(page).map((block) => ({ ...block, place: `docs/${page.path}.md:${block.line}` })),
);
const inLanguage = (name: string) => blocks.filter(({ language }) => language === name);

const nginx = ["nginx", "/usr/sbin/nginx"].find((name) => spawnSync(name, ["-v"]).status === 0);
const hasNginx = nginx !== undefined || process.env.CI !== undefined;

let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-proxies-"));
  env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

describe.runIf(hasCaddy)("Caddy", () => {
  test.each(inLanguage("caddy"))("accepts $place", ({ text }) => {
    const file = join(folder, "Caddyfile");
    writeFileSync(file, text);
    const { status, stderr } = spawnSync("caddy", ["validate", "--config", file, "--adapter", "caddyfile"], {
      env,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  });

  describe("with a certificate of its own", () => {
    const site = inLanguage("caddy").find(({ text }) => text.includes("tls internal"));
    let service: Server;
    let caddy: ChildProcess;
    let port: number;

    beforeAll(async () => {
      service = createServer((asked, response) => response.end(asked.headers["x-forwarded-proto"]));
      await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
      port = await freePort();
      const file = join(folder, "Caddyfile");
      const upstream = `127.0.0.1:${(service.address() as AddressInfo).port}`;
      // The ports of the page need root, and trust in the certificate would change this machine.
      writeFileSync(
        file,
        `{\n\tadmin off\n\tskip_install_trust\n\thttps_port ${port}\n\thttp_port ${await freePort()}\n}\n${site?.text.replace("127.0.0.1:8080", upstream)}`,
      );
      caddy = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], { env, stdio: "ignore" });
    });
    afterAll(() => {
      caddy?.kill("SIGKILL");
      service?.close();
    });

    test("serves https under the name of the page", async () => {
      const authority = join(folder, "caddy/pki/authorities/local/root.crt");
      const bodyOf = () =>
        new Promise<string>((resolve) => {
          const ca = existsSync(authority) ? readFileSync(authority) : undefined;
          const options = { host: "127.0.0.1", port, servername: "images.localhost", ...(ca && { ca }) };
          request({ ...options, headers: { Host: "images.localhost" } }, (response) => {
            response.setEncoding("utf8").once("data", resolve);
          })
            .once("error", ({ message }) => resolve(message))
            .end();
        });
      await expect.poll(bodyOf).toBe("https");
    });
  });
});

describe.runIf(hasNginx)("nginx", () => {
  test.each(inLanguage("nginx"))("accepts $place", ({ text }) => {
    const inServer = text.startsWith("location") ? `server {\n${text}\n}` : text;
    const file = join(folder, "nginx.conf");
    writeFileSync(file, `pid ${folder}/pid; error_log stderr; events {}\nhttp {\n${inServer}\n}\n`);
    const { status, stderr } = spawnSync(nginx ?? "nginx", ["-t", "-p", folder, "-c", file], {
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  });
});
