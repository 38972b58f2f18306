// Profiles for tests: those that Debian installs, and ones made here with types of tags that those lack.

import { readFileSync } from "node:fs";
import { fixture } from "../../host.ts";
import { blockOf } from "../metadata/exiftool.ts";

/** A profile of icc-profiles-free, or of colord-data below `colord/`. */
export const installed = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`/usr/share/color/icc/${name}`));

let proof: Uint8Array | undefined;

/** The CMYK profile in the test pictures: version 2, tables of 16 bit with curves. */
export const chemicalProof = (): Uint8Array =>
  (proof ??= blockOf(fixture("tif-cmyk-icc-lzw.tif"), "in.tif", "-icc_profile"));

type Tag = readonly [signature: string, body: Uint8Array];
type Space = "GRAY" | "RGB " | "CMYK";

/** A profile of these tags behind a plain header. */
export function profileOf(
  space: Space,
  connection: "XYZ " | "Lab ",
  version: 2 | 4,
  tags: readonly Tag[],
): Uint8Array {
  const all: Tag[] = [
    ["desc", version === 4 ? localized("test") : described("test")],
    ["cprt", version === 4 ? localized("CC0") : text("CC0")],
    ["wtpt", numbers("XYZ ", [0.9642, 1, 0.8249])],
    ...tags,
  ];
  let at = 132 + all.length * 12;
  const table = all.map(([name, body]) => {
    const row = { name, at, body };
    at += Math.ceil(body.length / 4) * 4;
    return row;
  });
  const bytes = Buffer.alloc(at);
  bytes.writeUInt32BE(at, 0);
  bytes.writeUInt8(version, 8);
  bytes.write(space === "CMYK" ? "prtr" : "mntr", 12, "latin1");
  bytes.write(space, 16, "latin1");
  bytes.write(connection, 20, "latin1");
  bytes.writeUInt16BE(2024, 24);
  bytes.writeUInt16BE(1, 26);
  bytes.writeUInt16BE(1, 28);
  bytes.write("acsp", 36, "latin1");
  [0.9642, 1, 0.8249].forEach((value, i) => void bytes.writeInt32BE(Math.round(value * 65536), 68 + i * 4));
  bytes.writeUInt32BE(table.length, 128);
  for (const [i, row] of table.entries()) {
    bytes.write(row.name, 132 + i * 12, "latin1");
    bytes.writeUInt32BE(row.at, 136 + i * 12);
    bytes.writeUInt32BE(row.body.length, 140 + i * 12);
    bytes.set(row.body, row.at);
  }
  return new Uint8Array(bytes);
}

function body(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write(type, 0, "latin1");
  return bytes;
}

const text = (value: string) => Buffer.concat([body("text", 8), Buffer.from(`${value}\0`)]);

function described(value: string): Buffer {
  const bytes = body("desc", 12 + value.length + 1 + 78);
  bytes.writeUInt32BE(value.length + 1, 8);
  bytes.write(value, 12, "latin1");
  return bytes;
}

function localized(value: string): Buffer {
  const bytes = body("mluc", 28 + value.length * 2);
  bytes.writeUInt32BE(1, 8);
  bytes.writeUInt32BE(12, 12);
  bytes.write("enUS", 16, "latin1");
  bytes.writeUInt32BE(value.length * 2, 20);
  bytes.writeUInt32BE(28, 24);
  for (const [i, letter] of [...value].entries()) bytes.writeUInt16BE(letter.charCodeAt(0), 28 + i * 2);
  return bytes;
}

/** XYZType and s15Fixed16ArrayType. */
export function numbers(type: string, values: readonly number[]): Buffer {
  const bytes = body(type, 8 + values.length * 4);
  values.forEach((value, i) => void bytes.writeInt32BE(Math.round(value * 65536), 8 + i * 4));
  return bytes;
}

/** curveType: nothing for a straight line, one value for a gamma, else the entries of a table, 0 to 1. */
export function curve(...values: readonly number[]): Buffer {
  const bytes = body("curv", 12 + values.length * 2);
  bytes.writeUInt32BE(values.length, 8);
  values.forEach(
    (value, i) =>
      void bytes.writeUInt16BE(Math.round(value * (values.length === 1 ? 256 : 65535)), 12 + i * 2),
  );
  return bytes;
}

/** A display profile of version 2 by the columns of its matrix. */
export function matrixProfile(columns: readonly (readonly number[])[], tone: Buffer): Uint8Array {
  const names = ["r", "g", "b"];
  return profileOf("RGB ", "XYZ ", 2, [
    ...columns.map((column, i): Tag => [`${names[i]}XYZ`, numbers("XYZ ", column)]),
    ...names.map((name): Tag => [`${name}TRC`, tone]),
  ]);
}

/** The mapping that a table profile holds: device colours, 0 to 1, to L*, a*, b*. */
export type ToLab = (device: readonly number[]) => readonly [number, number, number];

interface TableOptions {
  readonly space: "RGB " | "CMYK";
  readonly type: "mft1" | "mft2" | "mAB ";
  readonly nodes: number;
  /** Exponent of the curves before the table. */
  readonly gamma: number;
  readonly toLab: ToLab;
}

/** Returns a profile with a colour table: lut8Type and lut16Type in version 2, lutAToBType in version 4. */
export function tableProfile({ space, type, nodes, gamma, toLab }: TableOptions): Uint8Array {
  const inputs = space === "CMYK" ? 4 : 3;
  const count = nodes ** inputs;
  const values: number[] = []; // 0 to 1 in the encoding of the type
  // L* 100 is 0xff00 in lut16Type (ICC.1:2022, 6.3.4.2, table 13)
  const full = type === "mft2" ? 65280 / 65535 : 1;
  for (let n = 0; n < count; n++) {
    const place = Array.from(
      { length: inputs },
      (_, band) => Math.floor(n / nodes ** (inputs - 1 - band)) % nodes,
    );
    const [l, a, b] = toLab(place.map((p) => (p / (nodes - 1)) ** (1 / gamma)));
    values.push((l / 100) * full, ((a + 128) / 255) * full, ((b + 128) / 255) * full);
  }
  const whole = (value: number, limit: number) => Math.min(limit, Math.max(0, Math.round(value * limit)));
  if (type === "mAB ") {
    const curves = Array.from({ length: inputs }, () => curve(gamma)); // 14 bytes, padded to 16
    const straight = [curve(), curve(), curve()];
    const head = body("mAB ", 32);
    head.writeUInt8(inputs, 8);
    head.writeUInt8(3, 9);
    const padded = (parts: Buffer[]) =>
      Buffer.concat(parts.map((part) => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)])));
    const grid = Buffer.alloc(20 + count * 6);
    grid.fill(nodes, 0, inputs);
    grid.writeUInt8(2, 16);
    values.forEach((value, i) => void grid.writeUInt16BE(whole(value, 65535), 20 + i * 2));
    const b = padded(straight);
    const clut = padded([grid]);
    head.writeUInt32BE(32, 12);
    head.writeUInt32BE(32 + b.length, 24);
    head.writeUInt32BE(32 + b.length + clut.length, 28);
    return profileOf(space, "Lab ", 4, [
      ["A2B1", Buffer.concat([head, b, clut, padded(curves)])],
      ["A2B0", Buffer.concat([head, b, clut, padded(curves)])],
    ]);
  }
  const entries = 256;
  const wide = type === "mft2";
  const bytesPer = wide ? 2 : 1;
  const start = wide ? 52 : 48;
  const bytes = body(type, start + (inputs * entries + count * 3 + 3 * entries) * bytesPer);
  bytes.writeUInt8(inputs, 8);
  bytes.writeUInt8(3, 9);
  bytes.writeUInt8(nodes, 10);
  for (const i of [0, 4, 8]) bytes.writeInt32BE(65536, 12 + i * 4);
  if (wide) {
    bytes.writeUInt16BE(entries, 48);
    bytes.writeUInt16BE(entries, 50);
  }
  let at = start;
  const put = (value: number) => {
    if (wide) bytes.writeUInt16BE(whole(value, 65535), at);
    else bytes.writeUInt8(whole(value, 255), at);
    at += bytesPer;
  };
  for (let band = 0; band < inputs; band++)
    for (let i = 0; i < entries; i++) put((i / (entries - 1)) ** gamma);
  for (const value of values) put(value);
  for (let band = 0; band < 3; band++) for (let i = 0; i < entries; i++) put(i / (entries - 1));
  return profileOf(space, "Lab ", 2, [["A2B0", bytes]]);
}
