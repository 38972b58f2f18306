// The options under `cache:`: a backend for each slot. A new backend joins as one member of the union.

import { z } from "zod";
import { eachSlot, type StoreDefaults, slotDefaults } from "./bounds.ts";
import { filesystemOptions } from "./filesystem/filesystem.ts";
import { heapOptions } from "./heap.ts";
import { redisOptions } from "./redis/redis.ts";
import { s3StoreOptions } from "./s3.ts";

const noneOptions = z.strictObject({
  backend: z.literal("none").meta({ description: "The slot is switched off.", edit: "restart" }),
});

type Bounded = ReturnType<typeof heapOptions> | ReturnType<typeof filesystemOptions>;

/** Returns options whose backend need not be named. */
function withoutName<T extends Bounded>(options: T): T {
  const backend: z.ZodLiteral<string> = options.shape.backend;
  // The cast is safe: the parsed type is the same, only the input may be shorter.
  return options.extend({ backend: backend.optional().default(backend.value) }) as unknown as T;
}

const slotOptions = (defaults: StoreDefaults) => {
  const { backend } = defaults;
  const heap = heapOptions(defaults);
  const filesystem = filesystemOptions(defaults);
  return z
    .discriminatedUnion("backend", [
      backend === "heap" ? withoutName(heap) : heap,
      backend === "filesystem" ? withoutName(filesystem) : filesystem,
      redisOptions(defaults),
      s3StoreOptions(defaults),
      noneOptions,
    ])
    .prefault({ backend });
};

/** Schema of `cache:`. */
export const cacheOptions = z.strictObject(eachSlot((name) => slotOptions(slotDefaults[name]))).prefault({});

export type CacheOptions = z.output<typeof cacheOptions>;
export type StoreOptions = CacheOptions[keyof CacheOptions];
