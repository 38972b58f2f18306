// The one front page: in the reader's language at each of its addresses, with locks, logins, and pictures of
// folders.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { hang } from "../../../limits.ts";
import { type Served, served } from "../../../served.ts";
import { bcrypt, type Gated, gated } from "../access/gated.ts";

const plain = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const all = (pattern: RegExp, html: string) =>
  [...html.matchAll(pattern)].map(([, value = ""]) => plain(value));
const listOf = (html: string) => /<ul class="folders"[^>]*>(.*?)<\/ul>/s.exec(html)?.[1] ?? "";
const items = (html: string) => listOf(html).split("</li>").slice(0, -1);
const folders = (html: string) => items(html).map((item) => all(/title="([^"]*)"/g, item)[0]);
const logins = (html: string) =>
  all(/<a class="login"[^>]* href="([^"]*)"/g, /<header>.*?<\/header>/s.exec(html)?.[0] ?? "");

const made: string[] = [];
/** Creates a folder of files by their paths; those without a text are pictures. */
function lay(files: Readonly<Record<string, string | Uint8Array | undefined>>): string {
  const root = mkdtempSync(join(tmpdir(), "smalti-onefront-"));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text === undefined) copyFileSync(join(fixturesFolder, "base.png"), join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return root;
}
afterAll(() => {
  for (const root of made) rmSync(root, { recursive: true });
});

const source = (root: string) => `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(root)} }]\n`;
const get = async (app: Served, target: string, headers: Record<string, string> = {}, status = 200) => {
  const response = await app.get(target, { headers: { Accept: "text/html", ...headers } });
  expect([target, response.status]).toEqual([target, status]);
  return { response, html: await response.text() };
};
/** The page of a search, once the folders have been read. */
const search = (app: Served, target: string, headers: Record<string, string> = {}) =>
  vi.waitFor(async () => {
    const page = await get(app, target, headers);
    expect(page.html).not.toContain("not complete");
    return page;
  }, hang);

describe("the front page", () => {
  let app: Served;
  beforeAll(async () => {
    const root = lay({
      "maps/Berlin/mitte.png": undefined,
      "maps/Potsdam/a.png": undefined,
      "maps/Potsdam/b.png": undefined,
      "empty/in/it/.keep": "",
      "stored/manifest.json": JSON.stringify({
        type: "Collection",
        label: { en: ["Chosen"] },
        items: [
          { id: "https://elsewhere.example/m", type: "Manifest", label: { en: ["Far away"] } },
          { id: "/iiif/presentation/3/maps", type: "Collection", label: { en: ["Near"] } },
        ],
      }),
    });
    app = await served(`${source(root)}presentation: { title: { en: [City archive], de: [Stadtarchiv] } }`);
  });

  test.each([
    ["/view/", "/"],
    ["/view", "/"],
    ["/view/maps", "/?in=maps"],
    ["/view/maps/", "/?in=maps"],
  ])("is the same at %s as at %s", async (viewed, usual) => {
    for (const language of ["en", "nl"])
      await vi.waitFor(async () => {
        const one = await get(app, viewed, { "Accept-Language": language });
        const other = await get(app, usual, { "Accept-Language": language });
        expect(one.html).toBe(other.html);
        expect(one.response.headers.get("Vary")).toBe(other.response.headers.get("Vary"));
      }, hang);
  });

  test("leads from a viewer back to itself, with its title and a search", async () => {
    const { html } = await get(app, "/view/maps/Potsdam");
    const [up = ""] = all(/<header class="bar">\s*<a class="act" href="([^"]*)"/g, html);
    const back = await get(app, up.replace("http://images.test", ""));
    expect(back.html).toBe((await get(app, "/?in=maps")).html);
    expect(back.html).toContain("<title>maps – City archive</title>");
    expect(back.html).toContain('role="search"');
    expect(back.html).toContain('<li><a href="/">City archive</a></li>');
  });

  test("lists the items of a collection that its operator wrote, in the same frame", async () => {
    const { html } = await get(app, "/view/stored", { "Accept-Language": "fr" });
    expect(html).toContain("<title>Chosen – City archive</title>");
    expect(html).toContain('role="search"');
    expect(all(/<a class="picture" href="([^"]*)"/g, html)).toEqual([
      "https://elsewhere.example/m",
      "http://images.test/view/maps",
    ]);
  });

  test.each([
    ["en", "Pictures", "2 folders", "Nothing found for “x”.", "There is nothing here"],
    ["de-CH", "Bilder", "2 Ordner", "Nichts zu „x“ gefunden.", "Hier ist nichts"],
    ["fr", "Images", "2 dossiers", "Aucun résultat pour « x ».", "Il n’y a rien ici"],
    ["es", "Imágenes", "2 carpetas", "No se ha encontrado nada para «x».", "Aquí no hay nada"],
    ["it", "Immagini", "2 cartelle", "Nessun risultato per «x».", "Qui non c’è nulla"],
    ["nl", "Afbeeldingen", "2 mappen", "Niets gevonden voor “x”.", "Hier is niets"],
    ["ja", "Pictures", "2 folders", "Nothing found for “x”.", "There is nothing here"],
  ])("is in the reader's language: %s", async (language, pictures, count, nothing, missing) => {
    const headers = { "Accept-Language": language };
    const tag = language === "ja" ? "en" : language.slice(0, 2);
    for (const [target, text, status] of [
      ["/", count, 200],
      ["/?in=maps/Potsdam", pictures, 200],
      ["/?q=x", nothing, 200],
      ["/?in=nowhere", missing, 404],
      ["/nowhere", missing, 404],
      ["/iiif/3/nowhere/info.json", missing, 404],
    ] as const) {
      const { response, html } = await get(app, target, headers, status);
      expect(html).toContain(`<html lang="${tag}">`);
      expect(html).toContain(text);
      expect(response.headers.get("Vary")).toContain("Accept-Language");
    }
  });

  test("has no text of another language on it", async () => {
    const { html } = await get(app, "/?in=maps/Potsdam", { "Accept-Language": "de" });
    expect(html).toContain("<title>Potsdam – Stadtarchiv</title>");
    expect(html).not.toMatch(
      /\b(View|Search|Skip|Where you are|links of|Start page|Pictures|picture)\b(?!")/,
    );
  });

  test("shows the first picture below a folder of folders, and an icon if there is none", async () => {
    const { html } = await get(app, "/");
    const [empty = "", maps = ""] = items(html);
    expect(all(/src="([^"]*)"/g, maps)).toEqual([
      "http://images.test/iiif/3/maps%2FBerlin%2Fmitte.png/full/!200,200/0/default.jpg",
    ]);
    expect(all(/src="([^"]*)"/g, empty)).toEqual([]);
    expect(empty).toContain("<svg");
  });

  test("is framed without a head, and its links keep that and the viewer", async () => {
    const { html } = await get(app, "/view/?embed=1&viewer=uv");
    expect(folders(html)).toEqual(["empty", "maps", "stored"]);
    expect(all(/<a href="([^"]*)"/g, listOf(html))[1]).toBe("/?in=maps&viewer=uv&embed=1");
    expect(html).not.toMatch(/role="search"|<footer/);
    const inner = await get(app, "/?in=maps/Potsdam&viewer=uv&embed=1");
    expect(inner.html).toContain('href="http://images.test/view/maps/Potsdam/a.png?viewer=uv&amp;embed=1"');
  });
});

describe("the picture of a folder", () => {
  test("is looked for in a bounded number of folders below it", async () => {
    const deep = lay({ "a/1/2/3/4/x.png": undefined, "b/1/2/3/x.png": undefined });
    const pictured = async (app: Served) =>
      items((await get(app, "/")).html).map((item) => item.includes("<img"));
    const app = await served(source(deep));
    await vi.waitFor(async () => expect(await pictured(app)).toEqual([false, true]), hang);
    const wide = lay(
      Object.fromEntries(
        ["many", "some"].flatMap((name) => [
          ...Array.from({ length: name === "many" ? 30 : 5 }, (_, n) => [`${name}/${n}/.keep`, ""]),
          [`${name}/99/x.png`, undefined],
        ]),
      ),
    );
    const other = await served(source(wide));
    await vi.waitFor(async () => expect(await pictured(other)).toEqual([false, true]), hang);
  });

  test("is none that a manifest file hides", async () => {
    const root = lay({
      "a/1/x.png": undefined,
      "a/2/y.png": undefined,
      "a/manifest.yaml": "items: { '1': { hide: true } }",
    });
    const app = await served(source(root));
    // On a busy machine the folder is read too late for the first page.
    await vi.waitFor(async () => {
      const { html } = await get(app, "/");
      expect(html).not.toContain("a%2F1%2Fx.png");
      expect(all(/src="([^"]*)"/g, listOf(html))[0]).toContain("a%2F2%2Fy.png");
    }, hang);
  });
});

describe("the name of a search result", () => {
  const long = `Stadtarchiv_Nachlass_Familie_von_Beispiel_Fotografien_Serie_Bauten_1890-1910_Blatt_0123.png`;
  test("shows its end however long it is, and its folder below", async () => {
    const root = lay({
      [`a/b/${long}`]: undefined,
      "a/manifest.yaml": "label: { en: The estate }",
    });
    const app = await served(source(root));
    const found = async () => {
      const { html } = await search(app, "/?q=0123");
      const [, shown = "", where = ""] =
        /<a class="picture".*?<span>(.*?)<\/span><\/a>(<a class="where.*?<\/a>)/s.exec(html) ?? [];
      return { shown, where };
    };
    // On a busy machine the label of its folder is read too late for the first page.
    await expect.poll(async () => (await found()).where).toContain("The estate");
    const { shown, where } = await found();
    expect(plain(shown.replace(/<[^>]*>/g, ""))).toBe(long);
    expect(/<span class="rest">(.*?)$/.exec(shown)?.[1]).toMatch(/_Blatt_0123\.png/);
    // What is not out of sight fits into a few lines.
    expect(shown.replace(/<span class="unseen">.*?<\/span>/, "").replace(/<[^>]*>/g, "")).toHaveLength(60);
    expect(where).toBe('<a class="where quiet" href="/?in=a/b">The estate / b</a>');
    const inner = await search(app, "/?in=a&q=0123");
    expect(inner.html).toContain('<a class="where quiet" href="/?in=a/b">b</a>');
  });
});

describe("gated folders", () => {
  const auth = `
  profiles:
    staff:
      pattern: active
      label: { en: [Staff login], de: [Anmeldung für Personal] }
      heading: { en: [For staff <only>], de: [Nur für Personal] }
      note: { en: [Ask at the desk.] }
      access_service: { backend: builtin, users: { ann: "${bcrypt}" } }
    terms: { pattern: clickthrough, label: { en: [Terms] }, access_service: { backend: builtin } }
    room: { pattern: kiosk, heading: { en: [Reading room] }, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
    proxy: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules:
    - { match: secret/*, profile: staff }
    - { match: outer/inner/*, profile: staff }
    - { match: agreed/*, profile: terms }
    - { match: room/*, profile: room }
    - { match: proxied/*, profile: proxy }
`;
  const files = () => ({
    "agreed/1.png": undefined,
    "open/1.png": undefined,
    "outer/inner/2.png": undefined,
    "proxied/1.png": undefined,
    "room/1.png": undefined,
    "secret/box/letter.png": undefined,
    "secret/cover.png": undefined,
    "secret/manifest.yaml":
      "label: { en: The treasure }\nsummary: { en: Diamonds and rubies }\nmetadata: { Keeper: Smaug }",
  });
  const sites: Gated[] = [];
  const site = async (show: string) => {
    const made = await gated({
      folder: lay(files()),
      auth,
      more: `presentation: { title: Archive, ${show} }`,
    });
    sites.push(made);
    return made;
  };
  let hidden: Gated;
  let locked: Gated;
  beforeAll(async () => {
    hidden = await site("show_gated: hidden");
    locked = await site("show_gated: locked");
  });
  afterAll(async () => {
    for (const { app } of sites) await app.service.close();
  });
  const secrets = /secret|treasure|Diamonds|rubies|Smaug|letter|cover\.png|inner/;

  test.each([
    ["by default", ""],
    ["if they are to be hidden", "show_gated: hidden"],
  ])("are in no list, search, count or trail %s", async (_, show) => {
    const { app } = await site(show);
    for (const target of ["/", "/view/", "/view", "/?in=outer", "/view/outer"]) {
      const { html } = await get(app, target);
      expect(html).not.toMatch(secrets);
    }
    for (const word of ["secret", "treasure", "rubies", "letter", "inner"]) {
      const { html } = await search(app, `/?q=${word}`);
      expect(html.replaceAll(word, "")).not.toMatch(secrets);
      expect(html).toContain("Nothing found");
    }
    for (const target of ["/?in=secret", "/?in=secret/box", "/view/secret", "/?in=secret/none"])
      expect((await get(app, target, {}, 404)).html).not.toMatch(/treasure|Diamonds|Smaug|letter|cover/);
    expect(folders((await get(app, "/")).html)).toEqual(["open", "outer"]);
  });

  test("are listed under a lock with title and heading, if the operator wants it", async () => {
    for (const target of ["/", "/view/"]) {
      const { html, response } = await get(locked.app, target);
      expect(folders(html)).toEqual(["agreed", "open", "outer", "proxied", "room", "secret"]);
      const secret = items(html)[5] ?? "";
      expect(secret).toContain('class="lock"');
      expect(secret).toContain('<span class="name">The treasure</span>');
      expect(secret).toContain("For staff &lt;only&gt;");
      expect(all(/<a class="login"[^>]* href="([^"]*)"/g, secret)).toEqual([
        "/iiif/auth/login/staff?return_to=%2F%3Fin%3Dsecret",
      ]);
      expect(html).not.toMatch(/Diamonds|rubies|Smaug|letter|cover\.png|inner/);
      // Nobody logs in to a kiosk, or to a site in front of this one.
      for (const at of [3, 4]) expect(items(html)[at]).not.toContain("/iiif/auth/");
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      for (const name of ["Cookie", "Accept-Language"]) expect(response.headers.get("Vary")).toContain(name);
    }
    const { html } = await get(locked.app, "/", { "Accept-Language": "de" });
    expect(items(html)[5]).toContain("Nur für Personal");
    expect(folders((await get(locked.app, "/?in=outer")).html)).toEqual(["outer/inner"]);
  });

  test("have no picture, and give none to the folder that they are in", async () => {
    const { html } = await get(locked.app, "/");
    const shown = all(/src="([^"]*)"/g, listOf(html));
    expect(shown).toEqual(["https://images.example.org/iiif/3/open%2F1.png/full/!200,200/0/default.jpg"]);
    const headers = { Cookie: await locked.cookie("staff") };
    await vi.waitFor(async () => {
      const reader = items((await get(locked.app, "/", headers)).html);
      expect(reader[2]).toContain("outer%2Finner%2F2.png");
      expect(reader[5]).toContain("secret%2Fcover.png");
    }, hang);
  });

  test("under a lock are found by their titles alone", async () => {
    for (const word of ["treasure", "secret"])
      expect(folders((await search(locked.app, `/?q=${word}`)).html)).toEqual(["secret"]);
    for (const word of ["rubies", "smaug", "letter", "cover", "box"])
      expect((await search(locked.app, `/?q=${word}`)).html).toContain("Nothing found");
    const headers = { Cookie: await locked.cookie("staff") };
    expect(folders((await search(locked.app, "/?q=rubies", headers)).html)).toEqual(["secret"]);
  });

  test("under a lock open as a page with the way to log in, the same for every address below them", async () => {
    const { html, response } = await get(locked.app, "/?in=secret", {}, 401);
    expect(html).toContain("<title>The treasure – Archive</title>");
    expect(html).toContain("Ask at the desk.");
    expect(html).not.toMatch(/Diamonds|Smaug|letter|cover\.png/);
    expect(html).toContain('href="/iiif/auth/login/staff?return_to=%2F%3Fin%3Dsecret"');
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect((await get(locked.app, "/view/secret", {}, 401)).html).toBe(html);
    const pages = await Promise.all(
      ["box", "none", "box/none"].map(async (name) => {
        const page = await get(locked.app, `/?in=secret/${name}`, {}, 401);
        return page.html
          .replaceAll(encodeURIComponent(`secret/${name}`), "X")
          .replaceAll(`secret/${name}`, "X");
      }),
    );
    expect(new Set(pages).size).toBe(1);
    await get(locked.app, "/?in=nowhere", {}, 404);
    const { html: room } = await get(locked.app, "/?in=room", {}, 401);
    expect(room).toContain("Reading room");
    expect(room).toContain("open only at certain places");
    expect(room).not.toContain("/iiif/auth/login/room");
  });

  test("are open to readers with access, without a lock", async () => {
    for (const { app, cookie } of [hidden, locked]) {
      const headers = { Cookie: await cookie("staff") };
      await vi.waitFor(async () => {
        const { html } = await get(app, "/", headers);
        expect(folders(html)).toContain("secret");
        expect(items(html).find((item) => item.includes("treasure"))).not.toContain("lock");
      }, hang);
      expect((await get(app, "/?in=secret", headers)).html).toContain("Diamonds and rubies");
      expect((await get(app, "/view/secret", headers)).html).toContain("Diamonds and rubies");
    }
  });

  test("are reached by a link on every page, which leads back to it", async () => {
    for (const { app } of [hidden, locked])
      for (const [target, back] of [
        ["/", "/"],
        ["/?in=open", "/?in=open"],
        ["/?q=png&in=open", "/?in=open&q=png"],
        ["/view/outer", "/?in=outer"],
      ] as const) {
        const { html } = await get(app, target);
        expect(logins(html)).toEqual(
          ["staff", "terms"].map((name) => `/iiif/auth/login/${name}?return_to=${encodeURIComponent(back)}`),
        );
        expect(html).toContain("<summary>Log in</summary>");
      }
  });

  test("are in the list after a login that the page led to", async () => {
    const { html } = await get(hidden.app, "/?in=open");
    const [login = ""] = logins(html);
    const response = await hidden.app.get(login, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "username=ann&password=myPassword",
    });
    const back = new URL(response.headers.get("Location") ?? "", "https://images.example.org");
    expect([response.status, back.pathname + back.search]).toEqual([303, "/?in=open"]);
    const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
    const after = await get(hidden.app, "/", { Cookie: cookie });
    expect(folders(after.html)).toContain("secret");
    expect(logins(after.html)).toEqual([
      "/iiif/auth/login/terms?return_to=%2F",
      "/iiif/auth/logout?return_to=%2F",
    ]);
    const ended = await hidden.app.get("/iiif/auth/logout?return_to=%2F", { headers: { Cookie: cookie } });
    expect([ended.status, ended.headers.get("Location")]).toEqual([303, "https://images.example.org/"]);
  });

  test("have no link to a login if readers only come by address or through a proxy", async () => {
    const only = auth
      .replace(/ {4}staff:[\s\S]*?(?= {4}room)/, "")
      .replace(/.*profile: (staff|terms).*\n/g, "");
    const made = await gated({
      folder: lay(files()),
      auth: only,
      more: "presentation: { show_gated: locked }",
    });
    sites.push(made);
    const { html, response } = await get(made.app, "/?in=open");
    expect(html).not.toMatch(/iiif\/auth|Log in/);
    expect(response.headers.get("Cache-Control")).toBe("no-cache");
  });

  test("give no title to the way to a public folder in them", async () => {
    const rules = auth.replace("  rules:", "  rules:\n    - { match: secret/box, profile: terms }");
    const made = await gated({ folder: lay(files()), auth: rules, more: "presentation: { title: Archive }" });
    sites.push(made);
    const headers = { Cookie: await made.cookie("terms") };
    const { html } = await get(made.app, "/?in=secret/box", headers);
    expect(html).not.toMatch(/treasure/);
  });

  test("are items of a collection that an operator wrote by the same rule", async () => {
    const items = ["open", "secret"].map((name) => ({
      id: `/iiif/presentation/3/${name}`,
      type: "Collection",
      label: { en: [`Box of ${name} things`] },
    }));
    const stored = JSON.stringify({ type: "Collection", label: { en: ["Chosen"] }, items });
    for (const [show, expected] of [
      ["hidden", ["open"]],
      ["locked", ["open", "secret"]],
    ] as const) {
      const made = await gated({
        folder: lay({ ...files(), "chosen/manifest.json": stored }),
        auth,
        more: `presentation: { show_gated: ${show} }`,
      });
      sites.push(made);
      const { html } = await get(made.app, "/view/chosen");
      expect(all(/Box of (\w+) things/g, html)).toEqual(expected);
      expect(html.includes('class="lock"')).toBe(show === "locked");
    }
  });

  test("refuses another value of the setting at the start", async () => {
    await expect(site("show_gated: sometimes")).rejects.toThrow("presentation.show_gated");
  });
});

describe("a damaged image", () => {
  const cut = () => readFileSync(join(fixturesFolder, "bad-trunc-50.jpg"));
  const notice = (html: string) => /<p[^>]* id="damaged"[^>]*>(.*?)<\/p>/.exec(html);

  test("says above the viewer that a part of it is missing, in the reader's language", async () => {
    const app = await served(source(lay({ "book/1.jpg": cut(), "book/2.png": undefined })));
    // The derivative finds the damage, if the header does not show it.
    await app.get("/iiif/3/book%2F1.jpg/full/max/0/default.png");
    for (const [language, text] of [
      ["en", "This picture is damaged in part."],
      ["de", "Dieses Bild ist zum Teil beschädigt."],
      ["fr", "Cette image est en partie endommagée."],
      ["es", "Esta imagen está dañada en parte."],
      ["it", "Questa immagine è in parte danneggiata."],
      ["nl", "Deze afbeelding is deels beschadigd."],
    ] as const)
      for (const target of [
        "/view/book",
        "/view/book/1.jpg",
        "/view/book/canvas/1",
        "/view/book?viewer=uv",
      ]) {
        const [element = "", said = ""] =
          notice((await get(app, target, { "Accept-Language": language })).html) ?? [];
        expect([target, said.slice(0, text.length), / hidden/.test(element)]).toEqual([target, text, false]);
      }
    const [sound = ""] = notice((await get(app, "/view/book/canvas/2")).html) ?? [];
    expect(sound).toMatch(/ hidden/);
  });

  test("is named in the head of its derivatives, and no other is", async () => {
    const app = await served(source(lay({ "1.jpg": cut(), "2.png": undefined })));
    const named = async (id: string) =>
      (await app.get(`/iiif/3/${id}/full/!200,200/0/default.jpg`)).headers.get("X-Damaged-Master");
    expect([await named("1.jpg"), await named("2.png")]).toEqual(["yes", null]);
  });
});
