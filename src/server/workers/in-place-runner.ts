// Runs jobs on the calling thread, if the platform has no workers.

import {
  type ByteSource,
  cancelledError,
  fromErrorRecord,
  ImagingError,
  JobClock,
  timedBytes,
  toErrorRecord,
} from "../../base/index.ts";
import { type Codecs, runTask, type SidecarAccess } from "../../imaging/index.ts";
import { awaitWithoutPermit, readWithoutPermit } from "./permit.ts";
import { lateError, type Runner } from "./runner.ts";

/**
 * Creates a runner on the calling thread. Nothing can interrupt a stage, so signal and time limit are checked
 * between stages and at each read.
 */
export function inPlaceRunner(codecs: Codecs): Runner {
  let waits = false;
  return {
    run(job, { signal, timeoutMs, permit, watch }, freed) {
      watch?.began(0);
      const clock = new JobClock();
      let end = timeoutMs > 0 ? Date.now() + timeoutMs : Number.POSITIVE_INFINITY;
      const isLate = () => Date.now() > end;
      let leftAt = 0;
      const awaiting =
        permit &&
        awaitWithoutPermit({
          leave() {
            leftAt = Date.now();
            waits = true;
            permit.leave();
          },
          async back() {
            await permit.back();
            waits = false;
            end += Date.now() - leftAt;
          },
        });
      const bytes = awaiting ? readWithoutPermit(job.bytes, awaiting, signal) : job.bytes;
      const wanted = {
        get aborted() {
          return signal?.aborted === true || isLate();
        },
        listen: () => new Promise<void>((resolve) => setTimeout(resolve)),
      };
      const { task, sidecar, overlay } = job;
      const result = runTask(task, {
        codecs,
        bytes: timedBytes(whileWanted(bytes, wanted), clock),
        sidecar: sidecar && timedSidecar(sidecar, clock),
        overlay: overlay && { load: async () => overlay.data },
        wanted,
        stages: clock,
      }).catch((error) => {
        if (error instanceof ImagingError && error.kind === "cancelled" && isLate())
          throw lateError(timeoutMs);
        throw fromErrorRecord(toErrorRecord(error, "decode"));
      });
      const finish = () => {
        waits = false;
        freed(true);
      };
      result.then(() => watch?.did(clock.stop())).then(finish, finish);
      return result;
    },
    alive: () => true,
    waits: () => waits,
    kill() {},
  };
}

/** Returns a sidecar whose loading time is measured by the clock. */
function timedSidecar(sidecar: SidecarAccess, clock: JobClock): SidecarAccess {
  const { blocks, faster } = sidecar;
  return {
    ...sidecar,
    faster: faster && timedSidecar(faster, clock),
    load: () => clock.wait("index", sidecar.load()),
    ...(blocks && {
      blocks: {
        room: blocks.room,
        load: (block) => clock.wait("index", blocks.load(block)),
        keep: (block, bytes) => clock.wait("index", blocks.keep(block, bytes)),
      },
    }),
  };
}

/** Milliseconds that a job in place runs between two reads before it lets the event loop process events. */
const listenMs = 20;

/**
 * Returns the bytes of a job in place; a read throws ServiceError `cancelled` if the job is no longer wanted.
 */
function whileWanted(
  bytes: ByteSource,
  wanted: { readonly aborted: boolean; listen(): Promise<void> },
): ByteSource {
  let heard = Date.now();
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length) {
      if (Date.now() - heard > listenMs) {
        await wanted.listen();
        heard = Date.now();
      }
      if (wanted.aborted) throw cancelledError();
      return bytes.read(offset, length);
    },
  };
}
