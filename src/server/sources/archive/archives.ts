// The archives of all sources: their directories, each read once for every version, and their members as
// masters.

import {
  createGenerations,
  createLru,
  createSingleFlight,
  type Lru,
  type Platform,
  ServiceError,
  sectionOf,
} from "../../../base/index.ts";
import type { SourceEntry, SourceImage } from "../source.ts";
import { type ArchiveDirectory, type ArchiveFolder, readDirectory, refusals } from "./directory.ts";
import { refusedMemberError, unsupportedArchiveError } from "./errors.ts";
import type { MemberHeader } from "./header.ts";
import { createInflatedMembers } from "./inflated.ts";
import { findMember } from "./member.ts";

/**
 * Maximum bytes of directories in memory, of which the largest archive takes about two thirds, and the part
 * of the memory of a small machine that they take instead.
 */
const directoryBytes = { max: 192 * 2 ** 20, part: 1 / 8 } as const;
/** Maximum bytes of listings of folders in memory, and the part of a small machine's memory. */
const listingBytes = { max: 24 * 2 ** 20, part: 1 / 64 } as const;
/** Estimated bytes of an archive that cannot be read, or of the position of a member. */
const bytesOfFault = 512;
/** Number of members whose positions stay in memory. */
const maxPositions = 20_000;

export interface Archives {
  /** The entries of folders that were listed, whose folders are of one version of an archive. */
  readonly listings: Lru<ArchiveFolder, readonly SourceEntry[]>;
  /** Returns the directory of an opened archive. `id`: names the file. Throws as {@link readDirectory}. */
  directoryOf(id: string, archive: SourceImage, signal?: AbortSignal): Promise<ArchiveDirectory>;
  /**
   * Returns a member as a master, which closes the archive; undefined if there is none of that path. Throws
   * ServiceError `unsupported` (code archive_unsupported) if it is refused, and as `directoryOf` does.
   */
  open(
    id: string,
    archive: SourceImage,
    path: string,
    signal?: AbortSignal,
  ): Promise<SourceImage | undefined>;
  /** Drops what is in memory of an archive, or of all. */
  purge(id?: string): void;
}

/** Creates an empty memory of archives, with bounds that the memory of the machine allows. */
export function createArchives(platform: Pick<Platform, "memoryBytes" | "zlib" | "keepAlive">): Archives {
  const { memoryBytes, keepAlive } = platform;
  const maxBytes = Math.min(directoryBytes.max, memoryBytes * directoryBytes.part);
  const directories = createLru<string, ArchiveDirectory | ServiceError>(maxBytes);
  const positions = createLru<string, number>(maxPositions);
  const flights = createSingleFlight<ArchiveDirectory>(keepAlive);
  const inflated = createInflatedMembers(platform);
  const generations = createGenerations();
  /** Returns the name of a version, which is another one after a purge. */
  const versionOf = (id: string, validator: string) => `${generations.of(id)} ${id}\0${validator}`;

  const directoryOf: Archives["directoryOf"] = async (id, { bytes, validator }, signal) => {
    const version = versionOf(id, validator);
    const known = directories.get(version);
    if (known instanceof ServiceError) throw known;
    if (known) return known;
    const read = async (work: AbortSignal) => {
      try {
        const directory = await readDirectory(bytes, work);
        if (!directories.set(version, directory, directory.weight))
          throw unsupportedArchiveError("its directory needs more memory than there is for it");
        return directory;
      } catch (error) {
        // Nothing but another version of the archive can change this.
        if (isFault(error)) directories.set(version, error, bytesOfFault);
        throw error;
      }
    };
    return flights.run(version, read, signal);
  };

  return {
    listings: createLru(Math.min(listingBytes.max, memoryBytes * listingBytes.part)),
    directoryOf,
    purge: (id) => generations.renew(id),
    async open(id, archive, path, signal) {
      const directory = await directoryOf(id, archive, signal);
      const header = directory.find(path);
      if (header === undefined) return undefined;
      if (typeof header === "string") throw refusedMemberError(refusals[header]);
      const validator = validatorIn(archive, header);
      const member = versionOf(id, validator);
      let start = positions.get(member);
      if (start === undefined) {
        start = (await findMember(archive.bytes, directory, header, signal)).offset;
        positions.set(member, start, 1);
      }
      const packed = sectionOf(archive.bytes, start, header.packed);
      if (header.method === 0) {
        const section = { offset: start, length: header.size };
        return {
          ...archive,
          ...(archive.file && { file: { ...archive.file, section } }),
          bytes: packed,
          validator,
        };
      }
      const { file: _, ...rest } = archive;
      return { ...rest, bytes: inflated.bytesOf(member, packed, header), validator };
    },
  };
}

/** Returns the validator of a member: another version of the archive is another one of all its members. */
export const validatorIn = ({ validator }: Pick<SourceImage, "validator">, header: MemberHeader): string =>
  `${validator}-${header.offset.toString(36)}-${header.crc.toString(36)}`;

/** True for the error of an archive that stays the same as long as the archive does. */
export const isFault = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.kind === "decode" || error.kind === "unsupported");
