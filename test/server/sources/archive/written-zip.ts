// ZIP files written by hand, so that tests can make each field wrong (APPNOTE.TXT, section 4.3).

import { crc32, deflateRawSync } from "node:zlib";

export interface WrittenMember {
  readonly name: string | Uint8Array;
  readonly data?: Uint8Array;
  readonly deflated?: boolean;
  /** Other values of the directory than the right ones. */
  readonly says?: Partial<Header>;
  /** Other values of the local header than those of the directory. */
  readonly local?: Partial<Header>;
  readonly localName?: string;
  readonly extra?: Uint8Array;
  readonly localExtra?: Uint8Array;
  /** Type and permissions of Unix. */
  readonly mode?: number;
}

interface Header {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
  readonly disk: number;
}

interface Written {
  readonly comment?: Uint8Array;
  /** True to write ZIP64 records, and values of 32 bits that refer to them. */
  readonly zip64?: boolean;
  /** Other values of the end record than the right ones. */
  readonly end?: Partial<Record<"disk" | "first" | "onDisk" | "entries" | "length" | "offset", number>>;
}

/** Returns numbers of 2, 4 or 8 bytes, the lowest byte first. */
export function numbers(...parts: readonly (readonly [bytes: number, value: number])[]): Uint8Array {
  return Buffer.concat(
    parts.map(([bytes, value]) => {
      const part = Buffer.alloc(bytes);
      if (bytes === 8) part.writeBigUInt64LE(BigInt(value));
      else part.writeUIntLE(value, 0, bytes);
      return part;
    }),
  );
}

const nameOf = (name: string | Uint8Array) => (typeof name === "string" ? Buffer.from(name) : name);

/** Returns an extra field. */
export const field = (id: number, data: Uint8Array): Uint8Array =>
  Buffer.concat([numbers([2, id], [2, data.length]), data]);

export function writeZip(members: readonly WrittenMember[], written: Written = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const headers: Uint8Array[] = [];
  let at = 0;
  for (const member of members) {
    const { local, directory } = writeMember(member, at, written.zip64 === true);
    parts.push(local);
    headers.push(directory);
    at += local.length;
  }
  const directory = Buffer.concat(headers);
  return Buffer.concat([...parts, directory, writeEnd(members.length, directory.length, at, written)]);
}

function writeMember(member: WrittenMember, at: number, zip64: boolean) {
  const data = member.data ?? new Uint8Array();
  const packed = member.deflated ? deflateRawSync(data) : data;
  const right: Header = {
    flags: 1 << 11,
    method: member.deflated ? 8 : 0,
    crc: crc32(data),
    packed: packed.length,
    size: data.length,
    offset: at,
    disk: 0,
  };
  const said = { ...right, ...member.says };
  const own = { ...said, ...member.local };
  const name = nameOf(member.name);
  const localName = nameOf(member.localName ?? member.name);
  const localExtra = member.localExtra ?? new Uint8Array();
  const local = Buffer.concat([
    numbers([4, 0x04034b50], [2, 20], [2, own.flags], [2, own.method], [4, 0], [4, own.crc]),
    numbers([4, own.packed], [4, own.size], [2, localName.length], [2, localExtra.length]),
    localName,
    localExtra,
    packed,
  ]);
  const wide = zip64
    ? field(1, numbers([8, said.size], [8, said.packed], [8, said.offset]))
    : new Uint8Array();
  const extra = Buffer.concat([wide, member.extra ?? new Uint8Array()]);
  const small = (value: number) => (zip64 ? 0xffffffff : value);
  const directory = Buffer.concat([
    numbers([4, 0x02014b50], [1, 30], [1, 3], [2, 20], [2, said.flags], [2, said.method], [4, 0]),
    numbers([4, said.crc], [4, small(said.packed)], [4, small(said.size)], [2, name.length]),
    numbers([2, extra.length], [2, 0], [2, said.disk], [2, 0], [2, 0], [2, member.mode ?? 0o100644]),
    numbers([4, small(said.offset)]),
    name,
    extra,
  ]);
  return { local, directory };
}

function writeEnd(count: number, length: number, offset: number, { comment, zip64, end }: Written) {
  const { disk = 0, first = 0, onDisk = count, entries = count } = end ?? {};
  const own = { length, offset, ...end };
  const after = comment ?? new Uint8Array();
  const wide = zip64
    ? Buffer.concat([
        numbers([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count]),
        numbers([8, length], [8, offset]),
        numbers([4, 0x07064b50], [4, 0], [8, offset + length], [4, 1]),
      ])
    : new Uint8Array();
  const small = (bytes: 2 | 4, value: number) => [bytes, zip64 ? 2 ** (8 * bytes) - 1 : value] as const;
  return Buffer.concat([
    wide,
    numbers([4, 0x06054b50], [2, disk], [2, first], small(2, onDisk), small(2, entries)),
    numbers(small(4, own.length), small(4, own.offset), [2, after.length]),
    after,
  ]);
}
