// Makes missing blocks of a transcode again. A transcode can only be written from its start, so one run
// serves ascending reads.

import { ImagingError } from "../../../../base/index.ts";
import type { BlockSink } from "../../../sidecar/blocks.ts";
import { mismatchError } from "../markers/header.ts";

/**
 * Writes all blocks in order into a sink. The sink's `keep` throws if the remaining blocks are not wanted.
 */
export type WriteBlocks = (sink: BlockSink) => Promise<unknown>;

export interface Replay {
  /**
   * Returns a block by its number: from the current run, which waits after the last requested block, or from
   * a new run if the current one is past that block. Throws the errors of the run, and ImagingError `decode`,
   * code header_mismatch, if there is no such block.
   */
  block(number: number): Promise<Uint8Array>;
  /** Ends the current run. */
  end(): void;
}

interface WantedBlock {
  resolve(block: Uint8Array): void;
  reject(error: unknown): void;
}

interface Run {
  /** Number of the next block that it makes. */
  next: number;
  ended: boolean;
  goOn(): void;
}

/** Creates a replay that calls `made` with every block that a run writes. */
export function createReplay(
  write: WriteBlocks,
  made: (block: Uint8Array, digest: Uint8Array) => void,
): Replay {
  const wanted = new Map<number, WantedBlock[]>();
  let current: Run | undefined;

  const end = () => {
    if (!current) return;
    current.ended = true;
    current.goOn();
    current = undefined;
  };

  const start = (): Run => {
    const run: Run = { next: 0, ended: false, goOn: () => {} };
    const sink: BlockSink = {
      room: Number.POSITIVE_INFINITY,
      async keep(number, block, digest) {
        made(block, digest);
        run.next = number + 1;
        for (const { resolve } of wanted.get(number) ?? []) resolve(block);
        wanted.delete(number);
        while (wanted.size === 0 && !run.ended)
          await new Promise<void>((resolve) => {
            run.goOn = resolve;
          });
        if (run.ended) throw new ImagingError("cancelled", "The rest of the file is not needed.");
      },
    };
    const endRun = (error: unknown) => {
      if (current !== run) return;
      current = undefined;
      for (const each of wanted.values()) for (const { reject } of each) reject(error);
      wanted.clear();
    };
    write(sink).then(() => endRun(mismatchError()), endRun);
    return run;
  };

  return {
    block: (number) =>
      new Promise((resolve, reject) => {
        wanted.set(number, [...(wanted.get(number) ?? []), { resolve, reject }]);
        if (current && current.next > number) end();
        current ??= start();
        current.goOn();
      }),
    end,
  };
}
