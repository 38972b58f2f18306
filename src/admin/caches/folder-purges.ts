// Purges of folders by the operator: one at a time, and longer than a browser waits if necessary.

import { maskIdentifier, ServiceError, withDeadline } from "../../base/index.ts";
import { type PurgedFolder, type PurgeParts, purgeFolder, type Service } from "../../server/index.ts";

export interface FolderPurges {
  /**
   * Purges a folder. Returns undefined if that takes longer than 20 s: then it goes on, and the log has its
   * result. Throws as purgeFolder does, and `busy` (code purge_running) while another one runs.
   */
  purge(parts: PurgeParts, folder: string): Promise<PurgedFolder | undefined>;
}

const waitMs = 20_000;

/** Creates the purges of a service. */
export function createFolderPurges({ log, platform }: Pick<Service, "log" | "platform">): FolderPurges {
  let running = false;
  const purgeLogged = async (parts: PurgeParts, folder: string): Promise<PurgedFolder> => {
    const about = { folder: maskIdentifier(folder) };
    let done = 0;
    try {
      const onProgress = (masters: number) => {
        done = masters;
      };
      const result = await purgeFolder(parts, folder, { onProgress });
      log.info("a folder was purged by the operator", {
        ...about,
        masters: result.masters,
        ...result.purged,
      });
      return result;
    } catch (error) {
      if (done > 0)
        log.error("the purge of a folder failed; purge it again", {
          ...about,
          masters: done,
          error: String(error),
        });
      throw error;
    } finally {
      running = false;
    }
  };
  return {
    async purge(parts, folder) {
      if (running) throw runningError;
      running = true;
      const work = purgeLogged(parts, folder);
      platform.keepAlive?.(work.catch(() => {}));
      return withDeadline(waitMs, () => work, late).catch((error: unknown) => {
        if (error === late) return undefined;
        throw error;
      });
    },
  };
}

const late = new Error("the purge takes longer than a browser waits");

const runningError = new ServiceError(
  "busy",
  "A folder is being purged already. Wait until the log says that it has ended, then try again.",
  { code: "purge_running" },
);
