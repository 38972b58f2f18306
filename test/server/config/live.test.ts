// The parts of a changed configuration that take effect immediately. The expectations follow from the schemas
// alone, including the service's own.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createLiveSettings } from "../../../src/server/config/live.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { configTree } from "../../../src/server/config/schema.ts";
import { treeOf } from "../../../src/server/config/walk.ts";
import { served } from "../../served.ts";

const live = <T extends z.ZodType>(schema: T) => schema.meta({ edit: "live" });
const fixed = <T extends z.ZodType>(schema: T) => schema.meta({ edit: "restart" });

const rule = z.strictObject({ match: fixed(z.string()), label: live(z.string()).optional() });

const schema = z.strictObject({
  port: fixed(z.number()).optional(),
  level: live(z.string()).optional(),
  unmarked: z.string().optional(),
  whole: live(z.record(z.string(), rule)).optional(),
  profiles: z.record(z.string(), rule).optional(),
  notes: z.record(z.string(), z.strictObject({ text: live(z.string()) })).optional(),
  list: z.array(rule).optional(),
  words: live(z.array(z.string())).optional(),
  store: z
    .discriminatedUnion("backend", [
      z.strictObject({ backend: z.literal("heap"), bytes: live(z.number()), ttl: live(z.number()) }),
      z.strictObject({ backend: z.literal("disk"), path: fixed(z.string()), ttl: fixed(z.number()) }),
    ])
    .optional(),
});
type Settings = z.output<typeof schema>;

/** Returns what takes effect after a change, and what waits. */
function change(before: Settings, after: Settings): readonly [Settings, readonly string[]] {
  const settings = createLiveSettings(treeOf(schema), before);
  const foreseen = settings.compare(after);
  expect(settings.current()).toEqual(before);
  const waiting = settings.take(after);
  expect(foreseen.waits).toEqual(waiting);
  expect(settings.compare(after)).toEqual({ takes: [], waits: waiting });
  return [settings.current(), waiting];
}

const one = { match: "a", label: "1" };

describe("a changed configuration", () => {
  test.each<[string, Settings, Settings, Settings, readonly string[]]>([
    ["live keys count", { level: "a" }, { level: "b" }, { level: "b" }, []],
    ["other keys wait", { port: 1 }, { port: 2 }, { port: 1 }, ["port"]],
    ["keys without a mark wait", { unmarked: "a" }, { unmarked: "b" }, { unmarked: "a" }, ["unmarked"]],
    ["live keys that are gone are gone", { level: "a", port: 1 }, { port: 1 }, { port: 1 }, []],
    ["other keys that are gone stay", { port: 1 }, {}, { port: 1 }, ["port"]],
    [
      "live keys under a free name count, and the others wait",
      { profiles: { "a.b": one } },
      { profiles: { "a.b": { match: "b", label: "2" } } },
      { profiles: { "a.b": { match: "a", label: "2" } } },
      ['profiles."a.b".match'],
    ],
    [
      "an entry that comes or goes waits where a key of it does",
      { profiles: { old: one, kept: one } },
      { profiles: { kept: one, added: one } },
      { profiles: { old: one, kept: one } },
      ["profiles.old", "profiles.added"],
    ],
    [
      "an entry of live keys alone comes and goes at once",
      { notes: { old: { text: "1" } } },
      { notes: { added: { text: "2" } } },
      { notes: { added: { text: "2" } } },
      [],
    ],
    [
      "a live record counts with all that stands in it",
      { whole: { a: one } },
      { whole: { b: { match: "c" } } },
      { whole: { b: { match: "c" } } },
      [],
    ],
    ["a live list counts", { words: ["a"] }, { words: ["b", "c"] }, { words: ["b", "c"] }, []],
    [
      "a list in which only live keys differ counts",
      { list: [one, { match: "b" }] },
      { list: [{ match: "a", label: "2" }, { match: "b" }] },
      { list: [{ match: "a", label: "2" }, { match: "b" }] },
      [],
    ],
    [
      "a list whose items have other places waits whole",
      { list: [one, { match: "b" }] },
      { list: [{ match: "b", label: "2" }, one] },
      { list: [one, { match: "b" }] },
      ["list"],
    ],
    [
      "a list with one more item waits whole",
      { list: [one] },
      { list: [{ match: "a", label: "2" }, one] },
      { list: [one] },
      ["list"],
    ],
    [
      "live keys of one member of a union count",
      { store: { backend: "heap", bytes: 1, ttl: 1 } },
      { store: { backend: "heap", bytes: 2, ttl: 2 } },
      { store: { backend: "heap", bytes: 2, ttl: 2 } },
      [],
    ],
    [
      "another member of a union waits whole",
      { store: { backend: "heap", bytes: 1, ttl: 1 } },
      { store: { backend: "disk", path: "/x", ttl: 2 } },
      { store: { backend: "heap", bytes: 1, ttl: 1 } },
      ["store.backend", "store.bytes", "store.ttl", "store.path"],
    ],
  ])("%s", (_, before, after, expected, waiting) => {
    expect(change(before, after)).toEqual([expected, waiting]);
  });

  test("can be previewed: what would take effect, and what would wait", () => {
    const settings = createLiveSettings<Settings>(treeOf(schema), { port: 1, level: "a", words: ["x"] });
    expect(settings.compare({ port: 2, level: "b", words: ["x"] })).toEqual({
      takes: ["level"],
      waits: ["port"],
    });
  });

  test("no longer waits for a key that is changed back", () => {
    const settings = createLiveSettings(treeOf(schema), { port: 1, level: "a" } as Settings);
    expect(settings.take({ port: 2, level: "b" })).toEqual(["port"]);
    expect(settings.take({ port: 1, level: "b" })).toEqual([]);
    expect(settings.current()).toEqual({ port: 1, level: "b" });
  });

  test("is passed to subscribers with the values in effect", () => {
    const settings = createLiveSettings(treeOf(schema), { level: "a", port: 1 } as Settings);
    const heard: Settings[] = [];
    settings.subscribe((current) => heard.push(current));
    settings.take({ level: "b", port: 2 });
    expect(heard).toEqual([{ level: "b", port: 1 }]);
  });
});

const configOf = (yaml: string) => {
  const { config } = loadConfig(yaml, {});
  if (!config) throw new Error(`expected a valid configuration: ${yaml}`);
  return config;
};

describe("the configuration of the service", () => {
  test("applies limits, the log level and other keys that the schema marks live, and nothing else", () => {
    const settings = createLiveSettings(configTree(), configOf(""));
    const waiting = settings.take(
      configOf(`
addr: :1
trusted_proxies: ["::1"]
log: { level: debug, format: json }
limits: { max_in_flight: 3, max_in_flight_per_ip: 2 }
image: { max_pixel_area: 7, max_concurrent: 5, tile_size: 256, sharpen: {} }
sources: [{ name: a, type: filesystem, root: /srv, revalidate: 1s }]
cache: { render: { backend: none } }`),
    );
    expect([...waiting].sort()).toEqual([
      "addr",
      "cache.render.backend",
      "cache.render.max_bytes",
      "cache.render.ttl",
      "image.sharpen",
      "image.tile_size",
      "log.format",
      "sources",
      "trusted_proxies",
    ]);
    const before = configOf("");
    expect(settings.current()).toEqual({
      ...before,
      log: { ...before.log, level: "debug" },
      limits: { max_in_flight: 3, max_in_flight_per_ip: 2, max_wait: "20s" },
      image: { ...before.image, max_pixel_area: 7, max_concurrent: 5 },
    });
  });

  test("changes how many renders run while they run", async () => {
    const { service } = await served("image: { max_concurrent: 1 }");
    const { admission } = service.images;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const needs = { work: { kind: "test", ms: 1 }, memory: 1 };
    const jobs = [1, 2, 3].map(() => admission.run(needs, undefined, () => finished));
    expect(admission.status()).toMatchObject({ running: 1, waiting: 2 });
    const { image, ...rest } = service.config();
    expect(service.reload({ ...rest, image: { ...image, max_concurrent: 2 } })).toEqual([]);
    expect(admission.status()).toMatchObject({ running: 2, waiting: 1 });
    finish();
    await Promise.all(jobs);
  });
});
