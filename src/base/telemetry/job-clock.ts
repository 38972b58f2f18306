// Measures the time that a job spends in each of its stages: exclusive times, whose sum is at most the time
// of the whole job.

import type { ByteSource } from "../bytes/byte-source.ts";
import type { JobStage, JobStages } from "./job-stages.ts";

/**
 * Measurements of a job: milliseconds in each stage, undefined for those that did not occur, and bytes read
 * of its master.
 */
export interface JobTimes extends Readonly<Record<JobStage, number | undefined>> {
  readonly reads: number;
  readonly readBytes: number;
}

/**
 * The clock of one job, which begins with decoding. Time in which the job waits for bytes counts as `read` or
 * `index`, in any stage; if several waits overlap, as that of the first.
 */
export class JobClock implements JobStages {
  read: number | undefined = undefined;
  index: number | undefined = undefined;
  decode: number | undefined = undefined;
  steps: number | undefined = undefined;
  encode: number | undefined = undefined;
  reads = 0;
  readBytes = 0;
  #stage: JobStage = "decode";
  #since = performance.now();
  /** Waits in progress, and the stage that continues after them. */
  #waits = 0;
  #after: JobStage = "decode";

  enter(stage: JobStage): void {
    if (this.#waits > 0) this.#after = stage;
    else this.#switch(stage);
  }

  /** Waits for data from another side. */
  async wait<T>(stage: "read" | "index", reply: Promise<T>): Promise<T> {
    this.#begin(stage);
    try {
      return await reply;
    } finally {
      this.#end();
    }
  }

  /** Measures reads that return their bytes synchronously. */
  readNow(read: () => readonly Uint8Array[]): readonly Uint8Array[] {
    this.#begin("read");
    try {
      const all = read();
      this.reads += all.length;
      for (const bytes of all) this.readBytes += bytes.length;
      return all;
    } finally {
      this.#end();
    }
  }

  /** Stops the clock and returns its measurements, as plain data. */
  stop(): JobTimes {
    this.#switch(this.#stage);
    const { read, index, decode, steps, encode, reads, readBytes } = this;
    return { read, index, decode, steps, encode, reads, readBytes };
  }

  #begin(stage: "read" | "index"): void {
    if (this.#waits++ > 0) return;
    this.#after = this.#stage;
    this.#switch(stage);
  }

  #end(): void {
    if (--this.#waits === 0) this.#switch(this.#after);
  }

  #switch(stage: JobStage): void {
    const now = performance.now();
    this[this.#stage] = (this[this.#stage] ?? 0) + now - this.#since;
    this.#since = now;
    this.#stage = stage;
  }
}

/** Returns a byte source whose reads the clock measures and counts. */
export function timedBytes(bytes: ByteSource, clock: JobClock): ByteSource {
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length, signal) {
      const found = await clock.wait("read", bytes.read(offset, length, signal));
      clock.reads++;
      clock.readBytes += found.length;
      return found;
    },
  };
}
