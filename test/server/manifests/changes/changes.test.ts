// The stream of changes: what is written when, by one server and by several, and what a loss does to it.

import { afterEach, describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { Changes } from "../../../../src/server/manifests/changes/changes.ts";
import { heapStore } from "../../../../src/server/stores/heap.ts";
import type { Store } from "../../../../src/server/stores/store.ts";
import { deferred } from "../../../deferred.ts";
import { newHarvest, visit } from "../../../iiif/discovery/harvester.ts";
import {
  addressOf,
  type Documents,
  documentsOf,
  newWorld,
  observed,
  replayed,
  serverOver,
  streamAddress,
} from "./world.ts";

const minute = 60_000;
const open = () => heapStore({ maxBytes: 1 << 27 });
const typesOf = ({ entries }: Documents) =>
  entries.map(({ type, id }) => (id === "" ? type : `${type} ${id}`));

describe("a stream", () => {
  test("does not exist before the first look", async () => {
    const changes = serverOver(open(), newWorld());
    expect(await changes.stream()).toBeUndefined();
    expect(await changes.page("any", 0)).toBeUndefined();
  });

  test("begins with a refresh and an update of all there is, and goes on with what changes", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a", "1").set("b", "1");
    const changes = serverOver(store, world);
    await changes.look();
    world.time += minute;
    await changes.look();
    expect(typesOf(await documentsOf(changes))).toEqual(["Refresh", "Update a", "Update b"]);
    world.versions.set("b", "2").set("c", "1").delete("a");
    await changes.look();
    world.versions.set("a", "1");
    world.time += minute;
    await changes.look();
    expect(typesOf(await documentsOf(changes)).slice(3)).toEqual([
      "Update b",
      "Create c",
      "Delete a",
      "Create a",
    ]);
  });

  test("goes on after a restart", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a", "1").set("b", "1");
    await serverOver(store, world).look();
    world.versions.set("b", "2");
    world.time += minute;
    const after = serverOver(store, world);
    await after.look();
    expect(typesOf(await documentsOf(after))).toEqual(["Refresh", "Update a", "Update b", "Update b"]);
  });

  test("has times after the write began, which never go back, whatever the clocks say", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a", "1");
    await serverOver(store, world).look();
    const first = world.time;
    world.versions.set("b", "1");
    const behind = serverOver(store, world, { behind: 10 * minute });
    await behind.look();
    world.versions.set("c", "1");
    world.time += 20 * minute;
    await behind.look();
    const times = (await documentsOf(behind)).entries.map(({ time }) => time);
    // A harvester that visits during the write finds its entries at the next visit.
    expect(times[0]).toBeGreaterThan(first);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeGreaterThan(first + 10 * minute);
  });

  test("says no deletion of what may exist, since its folder cannot be listed", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a/1", "1").set("b", "1");
    await serverOver(store, world).look();
    world.versions.clear();
    world.time += minute;
    const mayExist = (id: string) => id.startsWith("a/");
    const changes = serverOver(store, world, { observe: async () => observed(world, mayExist) });
    await changes.look();
    expect(typesOf(await documentsOf(changes)).slice(3)).toEqual(["Delete b"]);
  });

  test("of 100,000 manifests is written in full pages, and a restart reads a few of them", async () => {
    const [world, inner] = [newWorld(), open()];
    const calls = { get: 0, add: 0 };
    const store: Store = {
      ...inner,
      get: async (...key) => {
        calls.get++;
        return inner.get(...key);
      },
      add: async (...entry) => {
        calls.add++;
        return inner.add(...entry);
      },
    };
    for (let n = 0; n < 100_000; n++) world.versions.set(`shelf ${n % 100}/book ${n}`, "AAAAAAAAAAAAAAAA");
    await serverOver(store, world).look();
    // The root, and a page for each hundred entries with the refresh.
    expect(calls.add).toBe(1 + 1001);
    calls.get = calls.add = 0;
    world.time += minute;
    world.versions.set("shelf 7/book 7", "BBBBBBBBBBBBBBBB");
    const changes = serverOver(store, world);
    await changes.look();
    expect(calls.add).toBe(1);
    expect(calls.get).toBeLessThan(20);
    expect(await changes.stream()).toMatchObject({ total: 100_002, pages: 1001 });
  });
});

describe("of two servers", () => {
  /** A server whose look sees the world as it is when it begins, and writes once it is released. */
  function slowServer(store: Store, world: ReturnType<typeof newWorld>) {
    const begun = deferred();
    const released = deferred();
    const changes = serverOver(store, world, {
      observe: async () => {
        const seen = observed(world);
        begun.resolve();
        await released.promise;
        return seen;
      },
    });
    return { changes, begun: begun.promise, release: released.resolve };
  }

  test("one that looked before the other wrote does not undo it", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("changed", "1").set("gone", "1").set("stays", "1");
    const quick = serverOver(store, world);
    await quick.look();
    world.time += minute;
    const slow = slowServer(store, world);
    const looking = slow.changes.look();
    await slow.begun;
    world.versions.set("changed", "2").set("new", "1").delete("gone");
    await quick.look();
    slow.release();
    await looking;
    const documents = await documentsOf(quick);
    expect(typesOf(documents).slice(4)).toEqual(["Update changed", "Create new", "Delete gone"]);
    expect(replayed(documents.entries)).toEqual(world.versions);
  });

  test("each lists all at the beginning, but the stream has it once", async () => {
    const [world, store] = [newWorld(), open()];
    for (let n = 0; n < 950; n++) world.versions.set(`book${n}`, "1");
    const servers = [serverOver(store, world), serverOver(store, world)];
    await Promise.all(servers.map((changes) => changes.look()));
    for (const changes of servers) {
      const types = typesOf(await documentsOf(changes));
      expect(types[0]).toBe("Refresh");
      expect(types.slice(1)).toEqual(Array.from({ length: 950 }, (_, n) => `Update book${n}`));
    }
  });
});

describe("a loss", () => {
  test("of all that was written begins another stream, with a refresh and an update of all", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a", "1").set("b", "1");
    const [one, two] = [serverOver(store, world), serverOver(store, world)];
    await one.look();
    const before = await one.stream();
    const harvest = newHarvest();
    const first = await documentsOf(one);
    world.time += minute;
    visit(harvest, streamAddress, world.time, (address) => first.byAddress.get(address));
    world.time += minute;
    world.versions.delete("a");
    world.versions.set("c", "1");
    await store.clear?.();
    expect(await two.stream()).toBeUndefined();
    await two.look();
    const documents = await documentsOf(one);
    expect(typesOf(documents)).toEqual(["Refresh", "Update b", "Update c"]);
    // Its pages have other addresses, so that no cache takes them for those of before.
    expect((await one.stream())?.id).not.toBe(before?.id);
    expect(await one.page(before?.id ?? "", 0)).toBeUndefined();
    world.time += minute;
    visit(harvest, streamAddress, world.time, (address) => documents.byAddress.get(address));
    expect(harvest.told).toEqual(new Set(["b", "c"].map(addressOf)));
  });

  test("of a page is found by who asks for it, and begins another stream at the next look", async () => {
    const [world, store] = [newWorld(), open()];
    for (let n = 0; n < 250; n++) world.versions.set(`book${n}`, "1");
    const writer = serverOver(store, world);
    await writer.look();
    const { id = "", pages = 0 } = (await writer.stream()) ?? {};
    expect(pages).toBe(3);
    await store.delete(`${id} 1\0`);
    const logged: string[] = [];
    const changes = serverOver(store, world, { logged });
    expect(await changes.page(id, 0)).toBeDefined();
    expect(await changes.page(id, 1)).toBeUndefined();
    world.time += minute;
    await changes.look();
    expect(logged).toEqual(["a part of the stream of changes is lost from its slot; it begins again"]);
    const documents = await documentsOf(writer);
    expect(documents.entries).toHaveLength(251);
    expect((await changes.stream())?.id).not.toBe(id);
  });

  test("of the store for a while is an error, and no other stream", async () => {
    const [world, inner] = [newWorld(), open()];
    let works = true;
    const orFail =
      <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (!works) throw new Error("no connection");
        return act(...args);
      };
    const store: Store = { ...inner, get: orFail(inner.get), add: orFail(inner.add), set: orFail(inner.set) };
    world.versions.set("a", "1");
    const changes = serverOver(store, world);
    await changes.look();
    const before = await changes.stream();
    works = false;
    world.versions.set("b", "1");
    world.time += minute;
    for (const failed of [changes.stream(), changes.page(before?.id ?? "", 0), changes.look()]) {
      const error = await failed.then(
        () => undefined,
        (each: unknown) => each,
      );
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ kind: "busy", code: "changes_unavailable" });
    }
    works = true;
    await changes.look();
    expect(await changes.stream()).toEqual({ ...before, total: 3 });
  });
});

describe("a server", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("looks at each interval, also after a failure, until it is closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const [world, store] = [newWorld(), open()];
    const logged: string[] = [];
    let looks = 0;
    const observe = async () => {
      if (++looks === 2) throw new ServiceError("source", "The folder cannot be read.");
      return observed(world);
    };
    const changes = serverOver(store, world, { observe, logged });
    changes.start();
    await vi.advanceTimersByTimeAsync(minute - 1);
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toBe(2);
    expect(logged).toEqual(["changes to manifests cannot be written; the next look will try again"]);
    await vi.advanceTimersByTimeAsync(minute);
    expect(looks).toBe(3);
    await changes.close();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(looks).toBe(3);
  });

  test("that is closed during a look writes nothing more, and waits for its end", async () => {
    const [world, store] = [newWorld(), open()];
    world.versions.set("a", "1");
    const begun = deferred();
    const changes = serverOver(store, world, {
      observe: (signal) => {
        begun.resolve();
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(observed(world))));
      },
    });
    changes.start();
    await begun.promise;
    await changes.close();
    expect(await changes.stream()).toBeUndefined();
  });

  test("says once that there are more manifests than it can follow", async () => {
    const [world, store] = [newWorld(), open()];
    const logged: string[] = [];
    const changes = serverOver(store, world, {
      observe: async () => ({ ...observed(world), isCut: true }),
      logged,
    });
    await changes.look();
    await changes.look();
    expect(logged).toHaveLength(1);
    expect(changes).toBeInstanceOf(Changes);
  });
});
