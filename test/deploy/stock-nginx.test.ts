// The example for nginx in the place that its page names, with the configuration of the distribution, in a
// system of its own: folders of nginx as they are after an installation, and a network without others.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { hasNginx } from "../servers/nginx.ts";

const proxies = fileURLToPath(new URL("../../deploy/proxy/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "smalti-stock-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** True if this user may make such a system, which needs root and the configuration of Debian. */
const isPossible =
  hasNginx &&
  process.platform === "linux" &&
  spawnSync("unshare", ["-m", "-n", "test", "-f", "/etc/nginx/sites-available/default"]).status === 0;

/** Stands for smalti, and says which address it was asked for, and by which host. */
const upstream = `require("node:http").createServer({ maxHeaderSize: 200000 }, ({ url, headers }, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify([headers.host, url.length, headers.forwarded ?? null]));
}).listen(8080, "127.0.0.1", () => console.log("listening"));`;

/** Runs a script in that system, and returns what it prints. */
function inStockSystem(script: string) {
  writeFileSync(join(folder, "upstream.cjs"), upstream);
  const lines = `set -e
mount --make-rprivate /
cp -a /etc/nginx ${folder}/etc
rm -f ${folder}/etc/conf.d/*
mount --bind ${folder}/etc /etc/nginx
for each in /run /var/cache /var/log; do mount -t tmpfs none $each; done
mkdir /var/log/nginx
ip link set lo up 2>/dev/null || true
cp ${proxies}nginx.conf /etc/nginx/conf.d/smalti.conf
cp ${proxies}nginx-site.conf /etc/nginx/conf.d/smalti-site.conf
nginx=$(PATH="$PATH:/usr/sbin" command -v nginx)
$nginx -t 2>&1
mkfifo ${folder}/ready
${process.execPath} ${folder}/upstream.cjs >${folder}/ready &
trap 'kill $!; $nginx -s quit 2>/dev/null' EXIT
read line <${folder}/ready
$nginx
${script}`;
  rmSync(join(folder, "etc"), { recursive: true, force: true });
  rmSync(join(folder, "ready"), { force: true });
  return spawnSync("unshare", ["-m", "-n", "bash", "-c", lines], { encoding: "utf8" });
}

/** A request by Node, whose loader of addresses needs no program: of a path, over IPv4 or IPv6. */
const ask = (path: string, host = "127.0.0.1") =>
  `${process.execPath} -e 'require("node:http").get({ host: "${host}", path: ${path}, headers: { Host: "images.example.org", Forwarded: "host=evil.example" } }, (r) => { let text = ""; r.on("data", (d) => (text += d)); r.on("end", () => console.log(r.statusCode, text.slice(0, 60))); })'`;

test.skipIf(!isPossible)(
  "nginx of the distribution starts with the example, and passes on what readers ask, over IPv6 and with long addresses too",
  () => {
    const { stdout, stderr, status } = inStockSystem(
      [
        ask('"/iiif/3/a/info.json"'),
        ask('"/x"', "::1"),
        ask('"/view?iiif-content=" + "x".repeat(60000)'),
      ].join("\n"),
    );
    expect([stdout.replace(/^nginx: .*\n/gm, ""), stderr.replace(/^.*\[notice\].*\n/gm, ""), status]).toEqual(
      [
        `200 ["images.example.org",19,null]
200 ["images.example.org",2,null]
200 ["images.example.org",60019,null]
`,
        "",
        0,
      ],
    );
  },
);
