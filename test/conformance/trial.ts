// One trial of the conformance cases: requests for the reference picture, and the colours of its squares.

import sharp from "sharp";
import { expect } from "vitest";
import { fixture } from "../host.ts";
import { seeded } from "../seeded.ts";
import type { Served } from "../served.ts";
import { cut, type Picture } from "../server/images/derivatives.ts";

/** The reference picture: ten by ten squares of 100 pixels, each of one colour. */
export const referencePicture = "67352ccc-d1b0-11e1-89ae-279075081939.png";

export interface Parameters {
  readonly identifier?: string;
  readonly region?: string;
  readonly size?: string;
  readonly rotation?: string;
  readonly quality?: string;
  readonly format?: string;
}

export interface Decoded extends Picture {
  /** Name of the format in the other decoder. */
  readonly format: string;
}

/** The colours of the squares by column and row, from the picture itself: `colours[x][y]`. */
export async function squareColours(): Promise<readonly (readonly (readonly number[])[])[]> {
  const { data, info } = await sharp(fixture(referencePicture)).raw().toBuffer({ resolveWithObject: true });
  const ten = Array.from({ length: 10 }, (_, i) => i);
  return ten.map((x) =>
    ten.map((y) => {
      const p = ((y * 100 + 50) * info.width + x * 100 + 50) * info.channels;
      return [...data.subarray(p, p + 3)];
    }),
  );
}

export class Trial {
  readonly app: Served;
  readonly version: 2 | 3;
  readonly #colours: readonly (readonly (readonly number[])[])[];
  /** A whole number from 0 up to but not the one given. */
  readonly random: (below: number) => number;

  constructor(
    app: Served,
    version: 2 | 3,
    colours: readonly (readonly (readonly number[])[])[],
    seed: number,
  ) {
    this.app = app;
    this.version = version;
    this.#colours = colours;
    this.random = seeded(seed);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.random(most - least + 1);
  }

  /** Printable characters from `0` to `z`, as they stand; those that end a path segment become `$`. */
  text(length: number): string {
    const characters = Array.from({ length }, () => String.fromCharCode(this.between(48, 122)));
    return characters.join("").replace(/[?#/]/g, "$");
  }

  base(identifier = referencePicture): string {
    return `/iiif/${this.version}/${identifier}`;
  }

  target({ identifier, region, size, rotation, quality, format }: Parameters): string {
    const whole = this.version === 2 ? "full" : "max";
    return `${this.base(identifier)}/${region ?? "full"}/${size ?? whole}/${rotation ?? "0"}/${quality ?? "default"}.${format ?? "jpg"}`;
  }

  get(parameters: Parameters): Promise<Response> {
    return this.app.get(this.target(parameters));
  }

  /** Expects the status of a request; the message of a failure contains its target. */
  async expectStatus(parameters: Parameters, status: number): Promise<void> {
    const target = this.target(parameters);
    expect((await this.app.get(target)).status, target).toBe(status);
  }

  async image(parameters: Parameters): Promise<Decoded> {
    const target = this.target(parameters);
    const response = await this.app.get(target);
    expect(response.status, target).toBe(200);
    const image = sharp(await response.arrayBuffer());
    const { format = "" } = await image.metadata();
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    return {
      width: info.width,
      height: info.height,
      bands: info.channels,
      data: new Uint8Array(data),
      format,
    };
  }

  /**
   * Expects that a picture, or its part `[x, y, width, height]`, has the colour of a square: each band's mean
   * within 5 levels.
   */
  expectSquare(
    picture: Picture,
    column: number,
    row: number,
    [x, y, width, height]: readonly [number, number, number, number] = [0, 0, picture.width, picture.height],
  ): void {
    const part = cut(picture, x, y, width, height);
    const sums = [0, 0, 0];
    for (let p = 0; p < part.data.length; p++) {
      const band = p % part.bands;
      if (band < 3) sums[band]! += part.data[p]!;
    }
    const colour = this.#colours[column]![row]!;
    const off = sums.map((sum, band) => Math.abs(sum / (width * height) - colour[band]!));
    expect(Math.max(...off), `square ${column},${row} at ${x},${y}: ${off}`).toBeLessThan(6);
  }

  /** Five squares of the whole picture, wherever it was scaled to. */
  expectSquares(picture: Picture, columns = 10, rows = 10): void {
    const [w, h] = [picture.width / columns, picture.height / rows];
    for (let i = 0; i < 5; i++) {
      const [x, y] = [this.random(columns), this.random(rows)];
      const [left, top] = [Math.ceil((x + 0.2) * w), Math.ceil((y + 0.2) * h)];
      this.expectSquare(picture, x, y, [left, top, Math.floor(w * 0.6), Math.floor(h * 0.6)]);
    }
  }
}
