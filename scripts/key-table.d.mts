import type { Leaf } from "../src/server/config/walk.ts";

export declare function keyTable(leaves: readonly Leaf[]): string;
