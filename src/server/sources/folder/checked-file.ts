// Bytes of a checked file. The first read opens the file, and fails if another file has replaced it.

import { type ByteSource, type FileStat, type OpenFile, sourceChangedError } from "../../../base/index.ts";
import type { MasterFile, SourceCounts, SourceImage } from "../source.ts";
import type { MasterFiles } from "./bounded-files.ts";
import type { Root } from "./root.ts";

/**
 * Returns the time of the latest change. An old file that was moved to this path has changed then, not when
 * it was written.
 */
export const lastChange = ({ modified, changed }: FileStat): Date =>
  changed && changed > modified ? changed : modified;

/**
 * Returns the validator of a file: size, modification time and, if the runtime has it, the file number. It
 * does not include the device, so that servers that mount the same volume share caches and ETags.
 */
export function validatorOf({ size, modified, state }: FileStat): string {
  const parts = [size.toString(36), modified.getTime().toString(36), state];
  return parts.filter((part) => part !== undefined).join("-");
}

export interface CheckedFileParts {
  readonly root: Root;
  readonly files: MasterFiles;
  readonly counts: SourceCounts;
}

const changedError = ({ counts }: CheckedFileParts) => {
  counts.errors.add();
  return sourceChangedError();
};

/** Opens a checked file. Throws ServiceError `source`, and `changed` if another file is at its path. */
async function openChecked(parts: CheckedFileParts, { path, size, id }: MasterFile): Promise<OpenFile> {
  const { root, files } = parts;
  const file = await files.open(path).catch((error) => {
    throw root.unreadable(error);
  });
  const same = file.size === size && file.stat.id === id;
  // Without file numbers, the resolved path proves that no link has been put there.
  if (same && (id !== undefined || (await root.resolve(await root.real(), path)) === path)) return file;
  await file.close();
  throw changedError(parts);
}

/**
 * Returns the bytes of a checked file. `held` is the open file, if its check has left it open; otherwise the
 * first read opens it, since most requests need no byte of it in this thread. A read after `close` opens the
 * file only for itself.
 */
export function checkedFile(
  parts: CheckedFileParts,
  checked: MasterFile,
  held?: OpenFile,
): Pick<SourceImage, "bytes" | "close"> {
  const { root, counts } = parts;
  let opened = held && Promise.resolve(held);
  let over = false;
  const open = () => openChecked(parts, checked);
  const readFrom = async (file: OpenFile, offset: number, length: number): Promise<Uint8Array> => {
    const part = await file.read(offset, length).catch((error) => {
      throw root.unreadable(error);
    });
    counts.reads.add();
    counts.bytes.add(part.length);
    if (part.length < length) throw changedError(parts);
    return part;
  };
  const bytes: ByteSource = {
    size: checked.size,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, checked.size - offset));
      if (wanted === 0) return new Uint8Array();
      if (!over) return readFrom(await (opened ??= open()), offset, wanted);
      const file = await open();
      return readFrom(file, offset, wanted).finally(() => file.close());
    },
  };
  const close = async () => {
    if (over) return;
    over = true;
    await opened?.then(
      (file) => file.close(),
      () => {},
    );
  };
  return { bytes, close };
}
