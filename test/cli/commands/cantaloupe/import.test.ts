// What becomes of the properties of Cantaloupe.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { delegateRows, implementedMethods } from "../../../../src/cli/commands/cantaloupe/delegates.ts";
import { importCantaloupe } from "../../../../src/cli/commands/cantaloupe/import.ts";
import { parseProperties } from "../../../../src/cli/commands/cantaloupe/properties.ts";
import { cantaloupeRows } from "../../../../src/cli/commands/cantaloupe/table.ts";
import { loadConfig } from "../../../../src/server/config/reading/load.ts";
import { type Config, configTree } from "../../../../src/server/config/schema.ts";
import { leaves } from "../../../../src/server/config/walk.ts";
import fc from "../../../properties.ts";

/** Names of all properties in the sample files of Cantaloupe 4.1.11, 5.0.6 and 6. */
const sampleKeys = readFileSync(fileURLToPath(new URL("sample-keys.txt", import.meta.url)), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const imported = (text: string) =>
  importCantaloupe(parseProperties(text), {
    file: "cantaloupe.properties",
    output: "smalti.yaml",
    methods: [],
  });

/** Returns the configuration that the properties become, with each of its variables set. */
function configOf(text: string): Config {
  const { yaml, variables } = imported(text);
  const loaded = loadConfig(yaml, Object.fromEntries(variables.map(({ name }) => [name, "set"])));
  expect(loaded.problems, yaml).toBeUndefined();
  return loaded.config as Config;
}

const outcomeOf = (text: string, property: string) =>
  imported(text).properties.find((each) => each.property === property);

const fileSource = "source.static = FilesystemSource\nFilesystemSource.BasicLookupStrategy.path_prefix = ";

describe("the table", () => {
  test("has a row for each property of the samples of Cantaloupe", () => {
    expect(sampleKeys.length).toBeGreaterThan(240);
    expect(sampleKeys.filter((key) => !Object.hasOwn(cantaloupeRows, key))).toEqual([]);
  });

  test("has no other rows but that of inherited files", () => {
    expect(Object.keys(cantaloupeRows).filter((key) => !sampleKeys.includes(key))).toEqual(["extends"]);
  });

  test("says something about each property", () => {
    const silent = Object.entries(cantaloupeRows).filter(
      ([, { to, unneeded, missing }]) => !(to ?? unneeded ?? missing),
    );
    expect(silent).toEqual([]);
  });

  test("names settings that exist", () => {
    const known = leaves(configTree()).map(({ keys }) => keys.join(".").replaceAll(".[]", "[]"));
    const exists = (name: string) =>
      /^[A-Z0-9_]+$/.test(name) ||
      known.some((key) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`)) ||
      known.some(
        (key) =>
          name.includes("*") && new RegExp(`^${name.replace(/\./g, "\\.").replace("*", "\\w+")}$`).test(key),
      );
    const names = Object.values(cantaloupeRows).flatMap(({ to }) => to?.split(", ") ?? []);
    expect(names.length).toBeGreaterThan(60);
    expect([...new Set(names)].filter((name) => !exists(name))).toEqual([]);
  });

  test("marks what is secret", () => {
    const secretive = sampleKeys.filter((key) =>
      /secret|password|access_key|account_key|Jdbc\w+\.url$/.test(key),
    );
    expect(secretive.length).toBeGreaterThan(10);
    expect(secretive.filter((key) => !cantaloupeRows[key]?.secret && key !== "https.key_store_path")).toEqual(
      [],
    );
  });
});

describe("a source", () => {
  test.each([
    ["/home/myself/images/", "/home/myself/images", undefined],
    ["/", "/", undefined],
    ["C:\\images\\", "C:\\images", undefined],
    ["/data/img_", "/data", "img_{{ .Identifier }}"],
  ])("in a folder has the path prefix %s as its root", (prefix, root, template) => {
    const { sources, hook } = configOf(fileSource + prefix);
    expect(sources).toMatchObject([{ type: "filesystem", root }]);
    expect(hook.lookup.template || undefined).toBe(template);
  });

  test("has suffix and substitute in the template of a hook", () => {
    const { hook } = configOf(
      `${fileSource}/i/\nFilesystemSource.BasicLookupStrategy.path_suffix = .tif\nslash_substitute = _"\\\\_`,
    );
    expect(hook.engine).toBe("lookup");
    // JSON escapes a quote and a backslash as templates do.
    expect(hook.lookup.template).toBe(`{{ .Identifier | replace ${JSON.stringify('_"\\_')} "/" }}.tif`);
  });

  test("on a web server has prefix and suffix in its url", () => {
    const basic = "HttpSource.BasicLookupStrategy";
    const { sources } = configOf(
      `source.static=HttpSource\n${basic}.url_prefix=http://localhost/images/\n${basic}.url_suffix=?x=1\nHttpSource.request_timeout=10\n${basic}.auth.basic.username=me`,
    );
    expect(sources).toMatchObject([
      {
        type: "http",
        url: "http://localhost/images/{identifier}?x=1",
        allow_private: true,
        timeout: "10s",
        auth_env: "HTTPSOURCE_AUTHORIZATION",
      },
    ]);
  });

  test.each([
    [
      "S3Source.endpoint=https://s3.eu-west-1.amazonaws.com",
      { region: "eu-west-1", endpoint: "", path_style: false },
    ],
    ["S3Source.region=eu-north-1", { region: "eu-north-1", endpoint: "", path_style: false }],
    ["S3Source.endpoint=http://minio:9000", { endpoint: "http://minio:9000", path_style: true }],
  ])("in a bucket with %s has its place", (line, expected) => {
    const basic = "S3Source.BasicLookupStrategy";
    const { sources } = configOf(
      `source.static=S3Source\n${line}\n${basic}.bucket.name=masters\n${basic}.path_prefix=a/b/`,
    );
    expect(sources).toMatchObject([{ type: "s3", bucket: "masters", key_prefix: "a/b/", ...expected }]);
  });

  test("that smalti lacks is reported, and does not end the import", () => {
    expect(outcomeOf("source.static=JdbcSource\nJdbcSource.url=jdbc:x", "source.static")).toMatchObject({
      outcome: "missing",
      text: expect.stringContaining("source"),
    });
    expect(outcomeOf("source.static=JdbcSource\nJdbcSource.url=jdbc:x", "JdbcSource.url")?.outcome).toBe(
      "missing",
    );
    expect(outcomeOf(`${fileSource}/i/\nJdbcSource.url=jdbc:x`, "JdbcSource.url")?.outcome).toBe("unneeded");
  });

  test("of several is chosen by a prefix", () => {
    const { sources } = configOf(
      `source.delegate=true\n${fileSource}/i/\nS3Source.BasicLookupStrategy.bucket.name=masters`,
    );
    expect(sources).toMatchObject([
      { type: "filesystem", prefix: "" },
      { type: "s3", prefix: "s3/" },
    ]);
  });
});

describe("a cache", () => {
  const on = (name: string) =>
    `cache.server.derivative.enabled=true\ncache.server.derivative=${name}\ncache.server.derivative.ttl_seconds=2592000\n`;

  test("in files, in memory, in Redis and in a bucket becomes the slots render and info", () => {
    const files = configOf(`${on("FilesystemCache")}FilesystemCache.pathname=/var/cache/cantaloupe/`).cache;
    expect(files.render).toMatchObject({
      backend: "filesystem",
      path: "/var/cache/cantaloupe/smalti",
      ttl: "30d",
    });
    expect(files.info).toMatchObject({ backend: "filesystem", ttl: "30d" });
    expect(configOf(`${on("HeapCache")}HeapCache.target_size=2G`).cache.render).toMatchObject({
      backend: "heap",
      max_bytes: "2GiB",
    });
    const redis = configOf(
      `${on("RedisCache")}RedisCache.host=r\nRedisCache.port=6380\nRedisCache.ssl=true\nRedisCache.password=p\nRedisCache.database=3`,
    ).cache;
    expect(redis.render).toMatchObject({
      addr: "r:6380",
      tls: true,
      db: 3,
      password_env: "REDISCACHE_PASSWORD",
    });
    const s3 = configOf(`${on("S3Cache")}S3Cache.bucket.name=kept\nS3Cache.object_key_prefix=c/`).cache;
    expect(s3.info).toMatchObject({ backend: "s3", bucket: "kept", prefix: "c/" });
  });

  test("that smalti lacks is reported", () => {
    expect(outcomeOf(on("JdbcCache"), "cache.server.derivative")?.outcome).toBe("missing");
  });

  test("of browsers has their age, or none", () => {
    expect(configOf("cache.client.max_age=3600").http).toMatchObject({
      image_max_age: "1h",
      info_max_age: "1h",
    });
    expect(configOf("cache.client.no_store=true").http).toMatchObject({ image_max_age: "0s" });
  });
});

describe("other properties", () => {
  test("become settings", () => {
    const config = configOf(`http.port=8182
http.host=127.0.0.1
base_uri=https://images.example.org/
max_pixels=1000000
endpoint.iiif.min_tile_size=1024
processor.background_color=navy
processor.jpg.quality=75
processor.downscale_linear=true
log.application.level=warn
overlays.BasicStrategy.enabled=true
overlays.BasicStrategy.image=/x/mark.png
overlays.BasicStrategy.position=top left
overlays.BasicStrategy.inset=10
overlays.BasicStrategy.output_width_threshold=400
overlays.BasicStrategy.output_height_threshold=300`);
    expect(config).toMatchObject({
      addr: "127.0.0.1:8182",
      base_url: "https://images.example.org",
      image: {
        max_output_area: 1000000,
        tile_size: 1024,
        background: "#000080",
        jpeg_quality: 75,
        linear: "on",
      },
      log: { level: "warn" },
      overlay: { image: "/x/mark.png", anchor: "top-left", offset: [10, 10], min_size: 300, opacity: 1 },
    });
  });

  test("may have the names of variables", () => {
    expect(configOf("MAX_PIXELS=5").image.max_output_area).toBe(5);
  });

  test.each([
    ["redaction.enabled=true", "missing"],
    ["redaction.enabled=false", "unneeded"],
    ["endpoint.iiif.restrict_to_sizes=true", "missing"],
    ["endpoint.iiif.2.enabled=true", "unneeded"],
    ["endpoint.iiif.2.enabled=false", "missing"],
    ["https.enabled=true", "missing"],
    ["max_pixels=many", "missing"],
    ["max_pixles=5", "missing"],
    ["overlays.BasicStrategy.enabled=true\noverlays.BasicStrategy.type=string", "missing"],
  ])("%s: %s", (text, outcome) => {
    expect(imported(text).properties.at(-1)).toMatchObject({ outcome, text: expect.stringMatching(/\w/) });
  });

  test("that are secret are in no result, and their variables are named", () => {
    const secret = "geheim0815";
    const lines = sampleKeys.filter((key) => cantaloupeRows[key]?.secret).map((key) => `${key}=${secret}`);
    const all = imported(
      `${lines.join("\n")}\nmy.own.password=${secret}\nbase_uri=http://me:${secret}@x/\nendpoint.admin.enabled=true\nsource.static=S3Source\nS3Source.BasicLookupStrategy.bucket.name=masters\ncache.server.derivative.enabled=true\ncache.server.derivative=RedisCache`,
    );
    expect(JSON.stringify(all)).not.toContain(secret);
    expect(all.variables.map(({ name }) => name).sort()).toEqual([
      "REDISCACHE_PASSWORD",
      "S3SOURCE_ACCESS_KEY_ID",
      "S3SOURCE_SECRET_KEY",
      "SERVICE_ADMIN_PASS",
    ]);
  });

  test("of any content leave the file valid YAML, with no key that they do not become", () => {
    const value = fc.oneof(
      fc.constantFrom(
        "true",
        "false",
        "0",
        "5",
        "FilesystemSource",
        "S3Cache",
        "x\\nadmin: true",
        "\\u2028a: b",
        "*",
        "&a",
        "'",
      ),
      fc.string(),
    );
    const pairs = fc.array(fc.tuple(fc.constantFrom(...sampleKeys, "x\\u000aadmin"), value), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(pairs, (list) => {
        const { yaml, properties } = imported(list.map(([key, value]) => `${key} = ${value}`).join("\n"));
        const { problems = [] } = loadConfig(yaml, {});
        expect(problems.filter(({ text }) => /YAML|unknown key/.test(text))).toEqual([]);
        for (const { outcome, to, text } of properties) expect(to ?? text, outcome).toBeDefined();
      }),
    );
  });
});

describe("a delegate script", () => {
  test("has the methods that are more than those of the sample", () => {
    const script = `class CustomDelegate
  # def overlay(options = {})
  def pre_authorize(options = {})
    # all may see it
    true
  end
  def authorize(options = {})
    return false if context['client_ip'].start_with?('10.')
    true
  end
  def redactions(options = {})
    []
  end
  def filesystemsource_pathname(options = {})
    "/images/" + context['identifier']
  end
  def own_helper
    1
  end
end`;
    expect(implementedMethods(script)).toEqual([
      { method: "authorize", text: delegateRows.authorize },
      { method: "filesystemsource_pathname", text: delegateRows.filesystemsource_pathname },
    ]);
  });
});
