// Messages about damaged codestreams: the expected value differs from the received one.

import { expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";

const codec = createCodecs(testHost).decoder("jp2");

async function messageOf(data: Uint8Array): Promise<string | undefined> {
  try {
    const bytes = memoryBytes(data);
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: header.width, height: header.height };
    await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ImagingError);
    return (error as ImagingError).message;
  }
}

test("damage that the decoder reports is not described by facts that agree", async () => {
  const random = seeded(34);
  const file = fixture("jp2-gray.jp2");
  const markerAt = (code: number) => file.findIndex((byte, i) => byte === 0xff && file[i + 1] === code);
  const [coding, data] = [markerAt(0x52), markerAt(0x93)]; // COD, SOD
  const messages: string[] = [];
  for (let run = 0; run < 40; run++) {
    const changed = Uint8Array.from(file);
    changed[coding + 4 + random(data - coding - 4)] = random(256);
    const message = await messageOf(changed);
    if (message) messages.push(message);
  }
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages) {
    expect(message).not.toMatch(/but the decoder gave/);
    const [, expected, received] = /expected (\d+) .*received (\d+)/.exec(message) ?? [];
    if (expected !== undefined) expect(received).not.toBe(expected);
  }
});
