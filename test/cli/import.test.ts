// The command import: a whole installation of Cantaloupe, from its properties to images.

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-import-"));
  mkdirSync(join(folder, "images", "box"), { recursive: true });
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images", "box", "a.png"));
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const run = (args: readonly string[]) => built.command(args, { cwd: folder });
const inOwnProcess = (args: readonly string[]) => built.run(args, { cwd: folder });

const properties = () => `
http.port = 8182
base_uri = https://images.example.org
max_pixels = 400000
slash_substitute = _
source.static = FilesystemSource
FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/images/
FilesystemSource.BasicLookupStrategy.path_suffix = .png
delegate_script.enabled = true
delegate_script.pathname = delegates.rb
redaction.enabled = true
`;

test("writes a configuration that check accepts and that serves the same images", async () => {
  write("cantaloupe.properties", properties());
  write(
    "delegates.rb",
    "class CustomDelegate\n  def overlay(options = {})\n    { 'image' => 'x.png' }\n  end\nend\n",
  );
  const { code, out, err } = await inOwnProcess(["import", "cantaloupe.properties"]);
  expect(code, err).toBe(0);
  expect(out.trimEnd().split("\n").at(-1)).toBe(
    `    node ${join(built.dist, "main.js")} check -config smalti.yaml`,
  );
  expect(err).toMatch(/Taken over \(7\)[\s\S]*max_pixels +image\.max_output_area/);
  expect(err).toMatch(/Without an equivalent[^\n]*\(3\)[\s\S]*redaction\.enabled +smalti redacts no regions/);
  expect(err).toMatch(/delegate script[^\n]*\(1\)\n +overlay +hook/);
  expect(readFileSync(join(folder, "smalti.yaml"), "utf8")).toContain("# max_pixels = 400000\n");
  expect(await run(["check", "-config", "smalti.yaml"])).toMatchObject({ code: 0, err: "" });

  const service = await built.serve(["-config", join(folder, "smalti.yaml")]);
  const response = await fetch(`${service.url}/iiif/3/box_a/info.json`);
  expect(await response.json()).toMatchObject({ maxArea: 400000 });
  service.process.kill("SIGTERM");
  await service.ended;
});

test("reports each property as JSON, with those of the file that this one extends", async () => {
  write(
    "base.properties",
    `http.port = 1
max_pixels = 5
JdbcSource.password = geheim
source.static = FilesystemSource
FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/images/
`,
  );
  write("child.properties", "extends = base.properties\nhttp.port = 2\n");
  const { code, out } = await run(["import", "child.properties", "-o", "child.yaml", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    file: join(folder, "child.yaml"),
    next: `node ${join(built.dist, "main.js")} check -config child.yaml`,
    properties: expect.arrayContaining([
      { property: "max_pixels", outcome: "taken", to: "image.max_output_area", text: expect.any(String) },
      { property: "JdbcSource.password", outcome: "unneeded", text: expect.any(String) },
    ]),
  });
  const yaml = readFileSync(join(folder, "child.yaml"), "utf8");
  expect(yaml).toContain("addr: :2\n");
  expect(yaml).not.toContain("geheim");
});

test("never replaces the file that this one extends", async () => {
  write("below.properties", "max_pixels = 5\n");
  write("above.properties", "extends = below.properties\nhttp.port = 2\n");
  const { code, err } = await run(["import", "above.properties", "-o", "below.properties", "--force"]);
  expect([code, err]).toEqual([1, expect.stringContaining("would replace itself")]);
  expect(readFileSync(join(folder, "below.properties"), "utf8")).toBe("max_pixels = 5\n");
});

test("never replaces the delegate script", async () => {
  write("delegates.rb", "class CustomDelegate\nend\n");
  write("scripted.properties", "delegate_script.enabled = true\ndelegate_script.pathname = delegates.rb\n");
  const { code, err } = await run(["import", "scripted.properties", "-o", "delegates.rb", "--force"]);
  expect([code, err]).toEqual([1, expect.stringContaining("would replace itself")]);
  expect(readFileSync(join(folder, "delegates.rb"), "utf8")).toContain("CustomDelegate");
});

test("says first that no source was taken over, and of none of its properties that it was", async () => {
  write(
    "lost.properties",
    `source.static = S3Source
S3Source.endpoint = http://name:geheim@minio:9000
S3Source.secret_key = geheim
S3Source.BasicLookupStrategy.bucket.name = masters
`,
  );
  const { code, out, err } = await run(["import", "lost.properties", "-o", "lost.yaml"]);
  expect([code, out]).toEqual([1, expect.stringContaining("Correct what the report says")]);
  expect(err).toMatch(/^To correct in the new file \(1\)\n +sources: no source was taken over/);
  expect(err).toMatch(
    /source\.static +set S3Source\.endpoint to an http or https address without a name and/,
  );
  expect(err).not.toContain("Taken over");
  expect(err).not.toContain("geheim");
});

test("prints no control characters of values and names", async () => {
  write(
    "escape.properties",
    `${properties()}delegate_script.pathname = \u001b]0;x\u0007none.rb\n`.replace(
      "pathname = delegates.rb",
      "",
    ),
  );
  const { err } = await run(["import", "escape.properties", "-o", "escape.yaml"]);
  expect(err).toContain("the delegate script  ]0;x none.rb is not here");
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "\x1b[31ma.png"));
  const converted = await run(["convert", "\x1b[31ma.png", "--to", "."]);
  expect(converted).toMatchObject({ code: 0, out: expect.stringContaining(" [31ma.png: ") });
  const failed = await run(["convert", "\x1b[31mnone.png"]);
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("smalti:  [31mnone.png: ") });
  for (const { out, err: printed } of [{ out: "", err }, converted, failed])
    expect(out + printed).not.toContain("\x1b");
});

test("begins with what is taken over and the variables to set, which the last lines name again", async () => {
  write(
    "secrets.properties",
    `http.port = 8182
base_uri = https://images.example.org
source.static = S3Source
S3Source.access_key_id = AKIA
S3Source.secret_key = geheim
S3Source.BasicLookupStrategy.bucket.name = masters
redaction.enabled = true
misspelt.first = 1
misspelt.second = 2
`,
  );
  const { out, err } = await run(["import", "secrets.properties", "-o", "secrets.yaml"]);
  const headings = [...err.matchAll(/^(\S[^(\n]*) \(\d+\)$/gm)].map(([, heading]) => heading);
  expect(headings.slice(0, 3)).toEqual([
    "Taken over",
    "Variables of the environment to set",
    "Without an equivalent, and what to do instead",
  ]);
  expect(err).toMatch(/^ {2}misspelt\.first\n {2}misspelt\.second\n {4}neither the sample of Cantaloupe/m);
  expect(out).toContain(
    "secrets.yaml is written. Set S3SOURCE_ACCESS_KEY_ID, S3SOURCE_SECRET_KEY in the environment, then check it:\n",
  );
  expect(readFileSync(join(folder, "secrets.yaml"), "utf8")).toMatch(
    /proxy in front[^\n]*\n(# .*\n)?# trusted_proxies: \[127\.0\.0\.1\]\nbase_url: https/,
  );
});

test.each(["/dev/zero", "pipe", ".", "large"])("reads no properties from %s", async (name) => {
  if (!existsSync(join(folder, "pipe"))) execFileSync("mkfifo", [join(folder, "pipe")]);
  write("large", `# ${"x".repeat(2 ** 20)}`);
  write("strange.properties", `extends = ${name}\n`);
  for (const args of [["strange.properties"], [name]]) {
    const { code, err } = await run(["import", ...args, "-o", "strange.yaml"]);
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be read: expected (a regular file|at most 1 MiB of properties)/);
  }
});

test("writes what it can of a configuration with a fault, and says what to correct", async () => {
  write(
    "faulty.properties",
    "source.static=S3Source\nS3Source.BasicLookupStrategy.bucket.name=not a bucket\n",
  );
  const { code, err } = await inOwnProcess(["import", "faulty.properties", "-o", "faulty.yaml"]);
  expect(code).toBe(1);
  expect(err).toMatch(/To correct in the new file \(1\)\n +line \d+, column \d+: sources\.0\.bucket/);
});

test.each([
  [["import"], 2, "PROPERTIES"],
  [["import", "absent.properties", "-o", "new.yaml"], 1, "there is no file"],
  [["import", "empty.properties", "-o", "new.yaml"], 1, "sets no properties"],
  [["import", "empty.properties", "-o", "there.yaml"], 1, "--force"],
  [["import", "empty.properties", "-o", "empty.properties", "--force"], 1, "would replace itself"],
])("%j ends with exit code %i", async (args, code, what) => {
  write("empty.properties", "# nothing\n");
  write("there.yaml", "");
  const result = await run(args);
  expect(result).toMatchObject({ code, out: "", err: expect.stringContaining(what) });
  expect(existsSync(join(folder, "new.yaml"))).toBe(false);
});
