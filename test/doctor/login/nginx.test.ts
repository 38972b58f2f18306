// The doctor before a real nginx: as docs/concepts/authorization.md sets it up below a path, and with lines
// that break logins.

import { afterEach, describe, expect, test } from "vitest";
import { examine } from "../../../src/doctor/login/diagnose.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";
import { freePort } from "../../servers/free-port.ts";
import { hasNginx, startNginx } from "../../servers/nginx.ts";
import { closed, end, listen, serverOf, viewer } from "./proxied.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of ending.splice(0).reverse()) await each();
});

/** Starts both with additional lines of the location; returns the doctor's findings. */
async function examineBehind(lines: string) {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/images`;
  const app = await served(`base_url: ${base}
trusted_proxies: ["127.0.0.1"]
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: closed/ }]
auth:
  cors: { token_origins: ["${viewer}"] }
  profiles: { way: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "${closed}", profile: way }]
`);
  const server = serverOf(app);
  const service = await listen(server);
  ending.push(async () => {
    await end(server);
    await app.service.close();
  });
  const nginx = await startNginx({
    port,
    files: { "401.html": "<h1>Please sign in</h1>" },
    server: (folder) => `location = /401.html { root ${folder}; }
    location /images/ {
      proxy_pass http://127.0.0.1:${service}/;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      ${lines}
    }`,
  });
  ending.push(nginx.close);
  const { auth, base_url: baseUrl, trusted_proxies: trustedProxies } = app.service.config();
  const findings = await examine({
    options: { auth: auth!, baseUrl, trustedProxies, hooked: false },
    base,
    origin: viewer,
    targets: [{ profile: "way", profiles: ["way"], identifier: closed, exists: true }],
  });
  return findings.flatMap((finding) =>
    finding.level === "problem" ? [`${finding.where} ${finding.code}`] : [],
  );
}

describe.skipIf(!hasNginx)("behind nginx", () => {
  test("with the documented configuration nothing is wrong", async () => {
    expect(await examineBehind("")).toEqual([]);
  });

  test.each([
    ["add_header X-Frame-Options SAMEORIGIN always;", "token frame_options"],
    ["proxy_hide_header Set-Cookie;", "cookie cookie_stripped"],
    ['proxy_set_header Authorization "";', "access token_not_passed"],
    ["proxy_cookie_path / /other/;", "cookie cookie_path"],
    ["proxy_cookie_flags ~ samesite=strict;", "cookie cookie_same_site"],
    ["proxy_intercept_errors on; error_page 401 /401.html;", "info.json error_replaced"],
    ["add_header Access-Control-Allow-Origin * always;", "probe cors_doubled"],
    ["if ($request_method = OPTIONS) { return 403; }", "probe preflight"],
    ["proxy_hide_header Cache-Control;", "probe cache_control"],
    [
      "proxy_cache all; proxy_cache_valid 200 401 10m; proxy_cache_key $uri; proxy_ignore_headers Cache-Control Vary Set-Cookie;",
      "access image_unchanged",
    ],
  ])("with %s the doctor reports %s", async (lines, problem) => {
    expect(await examineBehind(lines)).toContain(problem);
  });
});
