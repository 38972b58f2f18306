// The page /admin/config over a real file: what it shows, saves and refuses.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createConfigFile } from "../../src/admin/editing/file.ts";
import { createLog } from "../../src/base/telemetry/log.ts";
import { loadConfig } from "../../src/server/config/reading/load.ts";
import { nodeFiles } from "../../src/server/platform/files/node-files.ts";
import fc from "../properties.ts";
import { type Served, served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

let top: string;
let path: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-admin-config-"));
  path = join(top, "smalti.yaml");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const original = `# of the library
sources:
  - name: scans
    type: filesystem
    root: ./scans
  - { name: web, prefix: web/, type: http, url: "https://example.org/get?key=hunter2&id={identifier}", headers: { X-Key: s3cret } }
log: { level: warn }
`;

interface Page extends Served {
  /** Lines of the log. */
  readonly lines: readonly string[];
  open(): Promise<string>;
  /** POST of fields, as many times as they are named. */
  post(fields: readonly (readonly [string, string])[], headers?: Record<string, string>): Promise<Response>;
  /** Sends the form as a browser would, with some values replaced. */
  send(typed?: Readonly<Record<string, string>>): Promise<Response>;
}

/** Starts a service over the current file. */
async function start(yaml: string, env: Record<string, string> = {}): Promise<Page> {
  writeFileSync(path, yaml);
  const all = { ...operator, ...env };
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "text", write: (line) => lines.push(line) });
  const configFile = createConfigFile({ path, files: nodeFiles(), env: all, complete: (config) => config });
  const one = await served(yaml, all, { configFile, log });
  const open = async () => (await one.get("/admin/config", { headers: asOperator })).text();
  const post: Page["post"] = (fields, headers = {}) =>
    one.get("/admin/config", {
      method: "POST",
      body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
      headers: { ...asOperator, ...headers },
    });
  return {
    ...one,
    lines,
    open,
    post,
    async send(typed = {}) {
      return post(Object.entries({ ...(await sentBy(await open())), ...typed }));
    },
  };
}

const unescaped = (text: string) =>
  text.replace(
    /&(lt|gt|amp|quot|#39);/g,
    (_, name: string) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name] ?? "",
  );

/** The controls of a page by their name. */
function controlsOf(html: string) {
  const found = [
    ...html.matchAll(/<(input|select)( [^>]*)>(?:((?:<option[^>]*>[^<]*<\/option>)*)<\/select>)?/g),
  ];
  return Object.fromEntries(
    found
      .map(([, kind, attributes = "", options = ""]) => {
        const attribute = (name: string) => {
          const text = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
          return text === undefined ? undefined : unescaped(text);
        };
        const chosen = /<option value="([^"]*)" selected/.exec(options)?.[1];
        const control = {
          id: attribute("id"),
          disabled: / disabled/.test(attributes),
          value: unescaped((kind === "select" ? chosen : attribute("value")) ?? ""),
          invalid: attribute("aria-invalid"),
          describedBy: attribute("aria-describedby")?.split(" ") ?? [],
        };
        return [attribute("name") ?? "", control] as const;
      })
      .filter(([name]) => name !== ""),
  );
}

/** Returns the form fields that a browser sends for a page. */
const sentBy = (html: string) =>
  Object.fromEntries(
    Object.entries(controlsOf(html)).flatMap(([name, { value, disabled }]) =>
      disabled ? [] : [[name, value]],
    ),
  );

const textOf = (html: string) => unescaped(html.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");

/** Returns the text of an element by its id; it must not contain elements of its own kind. */
function textById(html: string, id: string): string {
  const found = new RegExp(`<(\\w+)[^>]* id="${id}"[^>]*>([\\s\\S]*?)</\\1>`).exec(html);
  if (!found) throw new Error(`Expected an element with the id ${id}.`);
  return textOf(found[2] as string).trim();
}

/** The page that a redirect leads to, with the cookie that came along. */
async function follow({ get }: Served, answer: Response): Promise<string> {
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/admin/config"]);
  const Cookie = (answer.headers.get("Set-Cookie") as string).split(";")[0] as string;
  return (await get("/admin/config", { headers: { ...asOperator, Cookie } })).text();
}

const load = (yaml: string) => {
  const { config, problems } = loadConfig(yaml, {});
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};
const written = () => readFileSync(path, "utf8");

describe("the form", () => {
  test("has one field for each editable key and none for others, with the value from the file or the default", async () => {
    const html = await (await start(original)).open();
    const { digest, before, ...fields } = controlsOf(html);
    expect(digest?.value).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]))).toEqual({
      addr: ":8080",
      read_timeout: "30s",
      write_timeout: "60s",
      shutdown_timeout: "15s",
      "log.level": "warn",
      "log.format": "text",
      "image.max_pixel_area": "1000000000",
      "image.max_concurrent": "0",
      "image.max_output_area": "0",
      "image.max_output_width": "0",
      "image.max_output_height": "0",
      "image.tile_size": "512",
    });
  });

  test("labels each control, and says when a change takes effect", async () => {
    const html = await (await start(original)).open();
    const { digest, before, ...fields } = controlsOf(html);
    const live = ["log.level", "image.max_pixel_area", "image.max_concurrent"];
    for (const [name, { id, describedBy, disabled }] of Object.entries(fields)) {
      expect(html).toContain(`<label for="${id}">`);
      expect(disabled).toBe(false);
      for (const other of describedBy) expect(html).toContain(`id="${other}"`);
      expect(textById(html, `${id}-when`)).toBe(live.includes(name) ? "live" : "at restart");
    }
  });

  test("is shown next to the whole configuration with defaults, its secrets masked", async () => {
    const html = await (await start(original)).open();
    const yaml = unescaped(/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(html)?.[1] ?? "");
    expect(yaml).toContain('X-Key: "***"');
    expect(yaml).toContain("jpeg_quality: 90");
    expect(yaml).toContain("https://example.org/get?key=***");
    expect(html).not.toContain("hunter2");
    expect(html).not.toContain("s3cret");
  });
});

describe("a save", () => {
  test("responds with 303, writes the file and says which keys are in effect and which wait", async () => {
    const page = await start(original);
    const html = await follow(page, await page.send({ "log.level": "error", "image.tile_size": "256" }));
    const outcome = textById(html, "outcome");
    expect(outcome).toContain("Saved: log.level, image.tile_size.");
    expect(outcome).toContain("In force now: log.level");
    expect(outcome).toContain("From the next start: image.tile_size");
    expect(load(written())).toEqual({
      ...load(original),
      log: { ...load(original).log, level: "error" },
      image: { ...load(original).image, tile_size: 256 },
    });
    expect(page.service.config().log.level).toBe("error");
    expect(page.service.config().image.tile_size).toBe(512);
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  test("is in the audit with the values before and after, and no others", async () => {
    const page = await start(original);
    await page.send({ "image.tile_size": "256" });
    const lines = page.lines.filter((line) => line.includes("save_settings"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("image.tile_size: 512 → 256");
    expect(lines[0]).not.toMatch(/hunter2|s3cret|read_timeout/);
  });

  test("preserves relative paths, secrets, comments and all other keys of the file", async () => {
    const page = await start(original);
    await page.send({ read_timeout: "5s" });
    expect(written()).toBe(`${original}read_timeout: 5s\n`);
  });

  test("puts live keys into effect immediately, including for requests", async () => {
    const page = await start("");
    expect((await page.get("/iiif/3/base.png/info.json")).status).toBe(200);
    await page.send({ "image.max_pixel_area": "10" });
    expect((await page.get("/iiif/3/base.png/info.json")).status).toBe(400);
  });

  test("that changes nothing says so, and writes nothing", async () => {
    const page = await start(original);
    const html = await follow(page, await page.send());
    expect(textById(html, "outcome")).toContain("Nothing was changed");
    expect(written()).toBe(original);
  });

  test("explains why a doubtful value is doubted", async () => {
    const page = await start(original);
    const html = await follow(page, await page.send({ "image.max_output_height": "4000" }));
    expect(textById(html, "outcome")).toContain("set image.max_output_width as well");
  });

  test("is logged with the names of the keys", async () => {
    const page = await start(original.replace("warn", "info"));
    await page.send({ "image.tile_size": "256" });
    expect(page.lines.join("")).toMatch(/configuration saved on the admin pages .*image\.tile_size/);
  });

  test("by a script needs no digest", async () => {
    const page = await start(original);
    const { digest, before, ...fields } = await sentBy(await page.open());
    expect((await page.post(Object.entries({ ...fields, "log.level": "error" }))).status).toBe(303);
    expect(load(written()).log.level).toBe("error");
  });
});

describe("a review", () => {
  test("shows each change with the value before it, writes nothing, and has a form that saves it", async () => {
    const app = await start(original);
    const typed = { "log.level": "debug", "image.max_pixel_area": "250000000", "image.tile_size": "256" };
    const answer = await app.send({ ...typed, step: "review" });
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(written()).toBe(original);
    const [review = ""] = /<section class="notice" id="review".*?<\/section>/s.exec(html) ?? [];
    const lines = [...review.matchAll(/<(del|ins)>.*?<\/span>(.*?)<\/\1>/gs)].map(([, , text]) =>
      text?.trim(),
    );
    expect(lines).toEqual([
      "log.level: warn",
      "log.level: debug",
      "image.max_pixel_area: 1000000000 (1,000 megapixels)",
      "image.max_pixel_area: 250000000 (250 megapixels)",
      "image.tile_size: 512 px",
      "image.tile_size: 256 px",
    ]);
    expect(review).toContain("3 changes to the file");
    expect(review.match(/at the next start/g)).toHaveLength(1);
    // The typed values stay in the form, to be changed further.
    const saved = await app.post(Object.entries(await sentBy(review)));
    expect(saved.status).toBe(303);
    expect(written()).toContain("level: debug");
    expect(written()).toContain("tile_size: 256");
    await app.service.close();
  });

  test("of no change says so, and of a mistake returns the form with it", async () => {
    const app = await start(original);
    const unchanged = await app.send({ step: "review" });
    expect([unchanged.status, unchanged.headers.get("Location")]).toEqual([303, "/admin/config"]);
    const wrong = await app.send({ "image.tile_size": "x", step: "review" });
    expect(wrong.status).toBe(422);
    const html = await wrong.text();
    expect(html).not.toContain('id="review"');
    expect(controlsOf(html)["image.tile_size"]).toMatchObject({ value: "x", invalid: "true" });
    expect(written()).toBe(original);
    await app.service.close();
  });

  test("of a form made from an older file is refused like a save", async () => {
    const app = await start(original);
    const form = await sentBy(await app.open());
    writeFileSync(path, `${original}\n# by hand\n`);
    const answer = await app.post(Object.entries({ ...form, "log.level": "debug", step: "review" }));
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("the file has changed since this form was made");
    await app.service.close();
  });
});

describe("a value with a unit", () => {
  test("is shown with it, whether it is the default, in the file, typed or in force", async () => {
    const page = await start(original);
    await page.send({ "image.max_pixel_area": "250000000" });
    const id = "field-image-max_pixel_area";
    const html = await page.open();
    expect(textById(html, `${id}-help`)).toContain("Default: 1000000000 (1,000 megapixels).");
    expect(textById(html, `${id}-notes`)).toBe("Set to 250000000 (250 megapixels).");
    const wrong = await (await page.send({ "image.max_pixel_area": "3e8" })).text();
    expect(textById(wrong, `${id}-notes`)).toBe("In the file: 250000000 (250 megapixels).");
  });
});

describe("a pending change", () => {
  test("that needs a restart stays on the page until then, whichever save made it", async () => {
    const page = await start(original);
    await page.send({ "image.tile_size": "256" });
    const html = await follow(page, await page.send({ read_timeout: "9s" }));
    expect(textById(html, "outcome")).toContain("still waiting for the next start: image.tile_size");
    const later = await page.open();
    expect(textById(later, "waiting")).toMatch(/read_timeout.*image\.tile_size/);
    expect(textById(later, "field-image-tile_size-notes")).toBe("Set to 256 px. In force now: 512 px.");
    expect(controlsOf(later)["image.tile_size"]?.value).toBe("256");
    await page.send({ "image.tile_size": "512", read_timeout: "30s" });
    expect(await page.open()).not.toContain('id="waiting"');
  });

  test("that somebody made by hand in the file is distinguished", async () => {
    const page = await start(original);
    writeFileSync(path, original.replace("warn", "error").concat("metrics: { enabled: true }\n"));
    const html = await page.open();
    expect(textById(html, "unread")).toContain("log.level");
    expect(textById(html, "unread")).not.toContain("metrics.enabled");
    expect(textById(html, "waiting")).not.toContain("log.level");
    expect(textById(html, "waiting")).toContain("metrics.enabled");
  });
});

describe("a form with mistakes", () => {
  test("is 422 with a message at each field, the typed values, and a summary that has the focus; nothing is written", async () => {
    const page = await start(original);
    const answer = await page.send({ addr: "<8080>", "image.tile_size": "1", "log.level": "error" });
    expect(answer.status).toBe(422);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const html = await answer.text();
    const fields = controlsOf(html);
    expect(fields.addr).toMatchObject({ value: "<8080>", invalid: "true" });
    expect(fields["image.tile_size"]).toMatchObject({ value: "1", invalid: "true" });
    expect(fields["log.level"]).toMatchObject({ value: "error", invalid: undefined });
    expect(fields.addr?.describedBy[0]).toBe("field-addr-wrong");
    expect(textById(html, "field-addr-wrong")).toContain("expected an address");
    expect(textById(html, "field-image-tile_size-wrong")).toBe("expected at least 64, received the number 1");
    expect(html).toMatch(/<div class="notice bad" role="alert" id="refused" tabindex="-1" autofocus/);
    expect(html).toContain('<a href="#field-addr">');
    expect(written()).toBe(original);
    expect(page.service.config().log.level).toBe("warn");
  });

  test("is shown with other problems of the file, without its secrets", async () => {
    const page = await start(original);
    writeFileSync(path, original.replace("https://", "ftp://"));
    expect(textById(await page.open(), "problems")).toContain("sources.1.url");
    const answer = await page.send({ "log.level": "error" });
    const html = await answer.text();
    expect(answer.status).toBe(422);
    expect(textById(html, "refused")).toContain("sources.1.url");
    expect(html).not.toContain("hunter2");
  });

  test("keeps a word that is no choice, in sight", async () => {
    const page = await start(original);
    const answer = await page.send({ "log.level": "loud" });
    expect(controlsOf(await answer.text())["log.level"]).toMatchObject({ value: "loud", invalid: "true" });
  });

  test.each([
    ["an unknown field", [["sources", "[]"]]],
    [
      "a field twice",
      [
        ["addr", ":1"],
        ["addr", ":2"],
      ],
    ],
    ["a field of an object's own", [["__proto__", "x"]]],
  ] as const)("with %s is 400", async (_, fields) => {
    const page = await start(original);
    const answer = await page.post(fields);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { code: string }).code).toBe("invalid_form");
  });

  test("with fields missing is 422, and nothing is written", async () => {
    const page = await start(original);
    for (const fields of [[], [["addr", ":1"]]] as const) {
      const answer = await page.post(fields);
      expect(answer.status).toBe(422);
      expect(textById(await answer.text(), "field-read_timeout-wrong")).toContain("is missing");
    }
    expect(written()).toBe(original);
  });

  test("of another type is 415, and too long a one 413", async () => {
    const page = await start(original);
    expect((await page.post([], { "Content-Type": "application/json" })).status).toBe(415);
    expect((await page.post([["addr", "x".repeat(20_000)]])).status).toBe(413);
  });

  test("is never a 500 and never spoils the file, whatever is sent", async () => {
    const page = await start(original);
    const names = Object.keys(await sentBy(await page.open()));
    const field = fc.tuple(fc.constantFrom(...names, "constructor", ""), fc.string({ unit: "grapheme" }));
    await fc.assert(
      fc.asyncProperty(fc.array(field, { maxLength: 4 }), fc.boolean(), async (typed, whole) => {
        const answer = whole ? await page.send(Object.fromEntries(typed)) : await page.post(typed);
        expect([303, 400, 422]).toContain(answer.status);
        load(written());
      }),
      { numRuns: 40 },
    );
  });

  test("from another site is refused", async () => {
    const page = await start(original);
    const fields = Object.entries({ ...(await sentBy(await page.open())), "log.level": "error" });
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }] as Record<
      string,
      string
    >[])
      expect((await page.post(fields, headers)).status).toBe(403);
    expect(written()).toBe(original);
  });
});

describe("a file that has changed since the form was made", () => {
  test("is preserved, and the form comes back with the typed values and the file's current ones", async () => {
    const page = await start(original);
    const fields = await sentBy(await page.open());
    const other = original.replace("warn", "debug");
    writeFileSync(path, other);
    const answer = await page.post(Object.entries({ ...fields, "log.level": "error", read_timeout: "7s" }));
    const html = await answer.text();
    expect(answer.status).toBe(422);
    expect(textById(html, "refused")).toContain("the file has changed since this form was made");
    expect(written()).toBe(other);
    const now = controlsOf(html);
    expect(now["log.level"]?.value).toBe("error");
    expect(now.read_timeout?.value).toBe("7s");
    expect(textById(html, "field-log-level-notes")).toContain("Meanwhile in the file: debug.");
    expect(textById(html, "field-read_timeout-notes")).toContain("In the file: 30s.");
    expect((await page.post(Object.entries(sentBy(html)))).status).toBe(303);
    expect(load(written()).log.level).toBe("error");
  });

  test.each([
    ["saved", {}],
    ["reviewed", { step: "review" }],
  ])("keeps the changes of another tab if the form of this one is %s again", async (_, step) => {
    const page = await start(original);
    const fields = await sentBy(await page.open());
    const other = { ...fields, read_timeout: "61s", "log.level": "debug" };
    expect((await page.post(Object.entries(other))).status).toBe(303);
    const mine = { ...fields, "image.tile_size": "256", "log.level": " warn " };
    const again = await sentBy(await (await page.post(Object.entries({ ...mine, ...step }))).text());
    expect(again).toMatchObject({ read_timeout: "61s", "log.level": "debug", "image.tile_size": "256" });
    expect((await page.post(Object.entries(again))).status).toBe(303);
    expect(load(written())).toMatchObject({
      read_timeout: "61s",
      log: { level: "debug" },
      image: { tile_size: 256 },
    });
  });

  test.each(["", "{", "[1]", "null", '{"addr":{}}'])(
    "has no known values in a form with %j",
    async (before) => {
      const page = await start(original);
      const fields = await sentBy(await page.open());
      writeFileSync(path, `${original}read_timeout: 61s\n`);
      const answer = await page.post(Object.entries({ ...fields, before }));
      expect(answer.status).toBe(422);
      expect(controlsOf(await answer.text()).read_timeout?.value).toBe("30s");
    },
  );
});

describe("a variable of the environment", () => {
  // Settings of the document of the administration pages: these four, one at a time.
  test.each([
    ["addr", "SERVICE_ADDR", "127.0.0.1:9"],
    ["log.level", "SERVICE_LOG_LEVEL", "error"],
    ["log.format", "SERVICE_LOG_FORMAT", "json"],
    ["image.max_pixel_area", "SERVICE_MAX_PIXEL_AREA", "424242"],
  ])("locks %s alone, and is not written: %s", async (name, variable, value) => {
    const page = await start("read_timeout: 20s\n", { [variable]: value });
    const html = await page.open();
    const fields = controlsOf(html);
    expect(Object.entries(fields).flatMap(([name, { disabled }]) => (disabled ? [name] : []))).toEqual([
      name,
    ]);
    expect(fields[name]?.value).toBe(value);
    expect(textById(html, `${fields[name]?.id}-when`)).toBe(`locked by ${variable}`);
    expect((await page.send({ read_timeout: "21s" })).status).toBe(303);
    expect(written()).not.toContain(value);
    const refused = await page.send({ [name]: name === "addr" ? ":1" : "1" });
    expect(refused.status).toBe(422);
    expect(textById(await refused.text(), `${fields[name]?.id}-wrong`)).toContain(variable);
  });
});

describe("if nothing can be saved", () => {
  /** Expects that all fields are present and disabled, and that a submitted form changes nothing. */
  async function expectLocked(one: Served, reason: string) {
    const html = await (await one.get("/admin/config", { headers: asOperator })).text();
    const { digest, before, ...fields } = controlsOf(html);
    expect(Object.values(fields).map(({ disabled }) => disabled)).toEqual(Array(12).fill(true));
    expect(textById(html, "obstacle")).toContain(reason);
    expect(html).toMatch(/<button type="submit" disabled/);
    const answer = await one.get("/admin/config", {
      method: "POST",
      body: new URLSearchParams({ "log.level": "error" }),
      headers: asOperator,
    });
    expect(answer.status).toBe(409);
    expect(textById(await answer.text(), "refused")).toContain("Nothing was saved");
  }

  test("without -config the note says so, and the fields show the values in effect", async () => {
    const one = await served("image: { tile_size: 256 }", operator);
    await expectLocked(one, "-config");
    const html = await (await one.get("/admin/config", { headers: asOperator })).text();
    expect(controlsOf(html)["image.tile_size"]?.value).toBe("256");
  });

  test("a file that is read-only stays as it is", async () => {
    const page = await start(original);
    chmodSync(path, 0o444);
    await expectLocked(page, "read-only");
    expect(written()).toBe(original);
  });

  test("a file that is gone is not made", async () => {
    const page = await start(original);
    rmSync(path);
    await expectLocked(page, "no longer exists");
    expect(readdirSync(top)).toEqual([]);
  });

  test("files that cannot be renamed are a note, as on workerd", async () => {
    writeFileSync(path, original);
    const { replacement, ...files } = nodeFiles();
    const configFile = createConfigFile({ path, files, env: operator, complete: (config) => config });
    await expectLocked(await served(original, operator, { configFile, files }), "runtime");
    expect(written()).toBe(original);
  });
});

test("concurrent saves run one after another, and each outdated form is refused", async () => {
  const page = await start(original);
  const fields = await sentBy(await page.open());
  const answers = await Promise.all(
    ["1s", "2s", "3s", "4s"].map((time) => page.post(Object.entries({ ...fields, read_timeout: time }))),
  );
  expect(answers.map(({ status }) => status)).toEqual([303, 422, 422, 422]);
  expect(load(written()).read_timeout).toBe("1s");
  expect(readdirSync(top)).toEqual(["smalti.yaml"]);
});
