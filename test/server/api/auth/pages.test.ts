// The login pages: languages, logos, operators' pages, and what a start refuses in them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configWarnings } from "../../../../src/server/config/reading/warnings.ts";
import type { Served } from "../../../served.ts";
import { browserOf, hashes, servedWithAuth, viewer } from "./served.ts";

const template = `<!doctype html><html><head><title>{{ .Title }}</title><style>h1{color:red}</style></head><body>
<img src="{{ .LogoURL }}" alt=""><h1>{{ .Heading }}</h1><p>{{ .Description }}</p>
{{ if .Error }}<p class="error">{{ .Error }}</p>{{ end }}<form method="post">
{{ if .Active }}<input name="username" value="{{ .Username }}"><input name="password" type="password">{{ else }}<p>click</p>{{ end }}
<input type="hidden" name="return_to" value="{{ .ReturnTo }}"><button>{{ .ConfirmLabel }}</button></form></body></html>`;

let folder: string;
let file: string;
let app: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-login-pages-"));
  file = join(folder, "login.html");
  writeFileSync(file, template);
  app = await servedWithAuth({
    base: "https://host.example.org/images",
    profiles: `polyglot:
  pattern: clickthrough
  label: { pl: [Dostęp], fr: [Accès aux images] }
  heading: { none: [ABC] }
  logo_url: "https://logos.example.net:8443/a.svg?x=1&y"
  access_service: { backend: builtin }
own:
  pattern: active
  label: { de: [Anmeldung], en: [Login] }
  description: { de: ["Für <alle>"] }
  logo_url: /static/page/icon.svg
  access_service: { backend: builtin, template: ${JSON.stringify(file)}, users: { ann: "${hashes.bcrypt}" } }
owndoor:
  pattern: clickthrough
  access_service: { backend: builtin, template: ${JSON.stringify(file)} }`,
  });
});
afterAll(async () => {
  await app.service.close();
  rmSync(folder, { recursive: true });
});

const page = async (name: string, language?: string) => {
  const headers: Record<string, string> = language === undefined ? {} : { "Accept-Language": language };
  const response = await browserOf(app).visit(`/iiif/auth/login/${name}`, { headers });
  return { html: await response.text(), headers: response.headers };
};

describe("the built-in page", () => {
  test.each([
    [undefined, "en", "Sign in", "User name"],
    ["de-AT,en;q=0.5", "de", "Anmelden", "Benutzername"],
    ["fr", "fr", "Se connecter", "Nom d’utilisateur"],
    ["es-MX", "es", "Iniciar sesión", "Nombre de usuario"],
    ["pl, it;q=0.3", "it", "Accedi", "Nome utente"],
    ["nl;q=0.9, de;q=0.1", "nl", "Inloggen", "Gebruikersnaam"],
    ["pl", "en", "Sign in", "User name"],
  ])("for %j is in %s", async (field, language, button, label) => {
    const { html } = await page("staff", field);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`<button>${button}</button>`);
    expect(html).toContain(`>${label}</label>`);
    // The operator has it in English alone.
    expect(html).toContain(language === "en" ? "<h1>Staff only</h1>" : '<h1 lang="en">Staff only</h1>');
  });

  test("has the operator's texts in the reader's language if they exist", async () => {
    expect((await page("terms", "de")).html).toContain("<title>Nutzungsbedingungen</title>");
    expect((await page("terms", "fr")).html).toContain("<title>Terms of use</title>");
    expect((await page("polyglot", "pl, de;q=0.5")).html).toContain('lang="pl">Dostęp</p>');
    expect((await page("polyglot", "fr")).html).toContain('<p class="quiet title">Accès aux images</p>');
    expect((await page("polyglot", "ja")).html).toContain('lang="pl">Dostęp</p>');
    expect((await page("polyglot", "ja")).html).toContain("<h1>ABC</h1>");
  });

  test("shows the logo, and only its host is allowed besides our own", async () => {
    const { html, headers } = await page("polyglot");
    expect(html).toContain('src="https://logos.example.net:8443/a.svg?x=1&amp;y"');
    expect(headers.get("Content-Security-Policy")).toContain(
      "img-src 'self' https://logos.example.net:8443 data: blob:;",
    );
    expect((await page("staff")).headers.get("Content-Security-Policy")).toContain(
      "img-src 'self' data: blob:;",
    );
  });
});

describe("a page of the operator", () => {
  test("shows the fields, each from its first text, below the path of the public URL", async () => {
    const { html, headers } = await page("own?return_to=/images/x%22", "en");
    expect(html).toBe(
      template
        .replace("{{ .Title }}", "Anmeldung")
        .replace("{{ .LogoURL }}", "/images/static/page/icon.svg")
        .replace("{{ .Heading }}", "Anmeldung")
        .replace("{{ .Description }}", "Für &lt;alle&gt;")
        .replace(/\{\{ if \.Error.*end \}\}(?=<form)/, "")
        .replace("{{ if .Active }}", "")
        .replace(/\{\{ else \}\}.*\{\{ end \}\}/, "")
        .replace("{{ .Username }}", "")
        .replace("{{ .ReturnTo }}", "/images/x&quot;")
        .replace("{{ .ConfirmLabel }}", "Sign in"),
    );
    expect(headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'self' https://host.example.org; frame-ancestors 'none'",
    );
    const door = (await page("owndoor")).html;
    expect(door).toContain("<title>Access</title>");
    expect(door).toContain("<p>click</p>");
    expect(door).toContain("<button>Continue</button>");
  });

  test("shows no return address if readers are not sent there", async () => {
    const { html } = await page("own?return_to=https://evil.example/");
    expect(html).toContain('name="return_to" value=""');
    expect(html).not.toContain("evil.example");
  });

  test("shows the name and the error after a failure", async () => {
    const form = { username: '"><script>', password: "x", return_to: `${viewer}/?a&b` };
    const response = await browserOf(app).visit("/iiif/auth/login/own", { form });
    expect(response.status).toBe(401);
    const html = await response.text();
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(html).toContain('<p class="error">The user name and password do not match.');
    expect(html).toContain(`value="${viewer}/?a&amp;b"`);
  });

  test("is read once", async () => {
    writeFileSync(file, "changed");
    expect((await page("owndoor")).html).toContain("<p>click</p>");
  });

  test.each([
    ["is not there", undefined, /the file does not exist/],
    ["cannot be read as a template", "\n{{ .Nothing }}", /line 2: there is no field \.Nothing/],
    ["is no text", Uint8Array.of(0xff, 0xfe), /expected text in UTF-8/],
    ["is too large", "a".repeat(1024 * 1024 + 1), /1048577 bytes/],
  ])("that %s stops the start with its key", async (_, content, reason) => {
    const path = join(folder, "broken.html");
    rmSync(path, { force: true });
    if (content !== undefined) writeFileSync(path, content);
    const started = servedWithAuth({
      profiles: `bad: { pattern: clickthrough, access_service: { backend: builtin, template: ${JSON.stringify(path)} } }`,
    });
    await expect(started).rejects.toThrow(/^auth\.profiles\.bad\.access_service\.template: /);
    await expect(started).rejects.toThrow(reason);
  });
});

test.each([
  ["http://images.example.org", true],
  ["http://192.0.2.1:8080", true],
  ["http://localhost.example.org", true],
  ["https://images.example.org", false],
  ["http://localhost:8080", false],
  ["http://iiif.localhost", false],
  ["http://127.0.0.1:8080", false],
  ["http://[::1]", false],
  ["", false],
])("a login under %j is warned of: %j", async (base, isWarned) => {
  const { service } = await servedWithAuth({ base });
  const paths = (config: ReturnType<typeof service.config>) =>
    configWarnings(config).map(({ where }) => where);
  expect(paths(service.config()).includes("base_url")).toBe(isWarned);
  const { auth: _, ...open } = service.config();
  expect(paths(open)).not.toContain("base_url");
  await service.close();
});
