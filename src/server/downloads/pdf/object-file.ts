// The frame of a PDF file: numbered objects, their offsets, the cross-reference table (ISO 32000-1, 7.5).

import { concatenate } from "../../../base/index.ts";
import type { Piece } from "../pieces.ts";
import { dictionary, ref } from "./syntax.ts";

const utf8 = new TextEncoder();

/** Four bytes above 127 say that the file is binary (7.5.2). */
const head = concatenate([utf8.encode("%PDF-1.7\n%"), Uint8Array.of(0xe2, 0xe3, 0xcf, 0xd3, 0x0a)]);

/** Numbers objects, and knows where each of them was written. */
export class ObjectFile {
  /** Offsets by number; object 0 is the head of the list of free ones. */
  readonly #offsets: number[] = [0];
  #length = 0;

  /** Returns the beginning of the file. */
  start(): Uint8Array {
    this.#length = head.length;
    return head;
  }

  /** Returns the number of an object that is written later. */
  reserve(): number {
    return this.#offsets.push(0) - 1;
  }

  /** Returns an object of a number that was reserved. */
  object(number: number, value: string): Uint8Array {
    return this.#written(number, utf8.encode(`${number} 0 obj\n${value}\nendobj\n`));
  }

  /** Yields a stream of a number that was reserved. */
  *stream(
    number: number,
    entries: Readonly<Record<string, string | undefined>>,
    content: Piece,
  ): Generator<Piece> {
    const before = dictionary({ ...entries, Length: String(content.length) });
    yield this.#written(number, utf8.encode(`${number} 0 obj\n${before}\nstream\n`));
    this.#length += content.length;
    yield content;
    this.#length += streamEnd.length;
    yield streamEnd;
  }

  /** Returns the end of the file. `id`: 16 bytes as hexadecimal digits (14.4). */
  end(root: number, info: number, id: string): Uint8Array {
    const entries = this.#offsets.slice(1).map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
    const trailer = dictionary({
      Size: String(this.#offsets.length),
      Root: ref(root),
      Info: ref(info),
      ID: `[<${id}> <${id}>]`,
    });
    const table = `xref\n0 ${this.#offsets.length}\n0000000000 65535 f \n${entries.join("")}`;
    return utf8.encode(`${table}trailer\n${trailer}\nstartxref\n${this.#length}\n%%EOF\n`);
  }

  #written(number: number, bytes: Uint8Array): Uint8Array {
    this.#offsets[number] = this.#length;
    this.#length += bytes.length;
    return bytes;
  }
}

const streamEnd = utf8.encode("\nendstream\nendobj\n");
