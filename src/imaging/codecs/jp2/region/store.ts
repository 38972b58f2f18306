// The last stage of a strip: component transform, level shift, and the copy of samples to their destination
// (ITU-T T.800 Annex G).

import { damagedJp2 } from "../../damaged.ts";
import type { Box } from "../stream/geometry.ts";
import type { Arena, Engine } from "./engine.ts";
import type { BandSamples } from "./planes.ts";

/** Components of the same size and position, interleaved, as offset binary: the minimum is 0. */
export interface Plane {
  readonly components: readonly number[];
  readonly window: Box;
  readonly samples: Uint8Array | Uint16Array;
}

/** The samples of a component, from the first one of the strip on. */
export interface StripComponent extends BandSamples {
  readonly component: number;
  readonly bits: number;
}

/** Numbers of the component transforms in the module. */
const transformKinds = { none: 0, reversible: 1, irreversible: 2 } as const;

/**
 * Stores the components of a plane. `transforms`: the first three components are transformed, and are the
 * first of `decoded` if one of them is needed. Throws ImagingError `decode` if they are of different kinds.
 */
export function storeStrip(
  arena: Arena,
  transforms: boolean,
  strip: Box,
  decoded: readonly StripComponent[],
  plane: Plane,
): void {
  const { engine } = arena;
  const { components, samples } = plane;
  const [width, height] = [strip.x1 - strip.x0, strip.y1 - strip.y0];
  const colours = transforms && decoded[0]?.component === 0 ? decoded.slice(0, 3) : undefined;
  if (colours && !areAlike(colours))
    throw damagedJp2("three components of one kind under a component transform, received others");
  const count = components.length;
  const size = samples.BYTES_PER_ELEMENT;
  const out = arena.take(width * height * count * size);
  const rgb = decoded.length === 3 && count === 3 && decoded.every(isByte) && areAlike(decoded) && decoded;
  if (rgb && components.every((component, i) => component === i))
    storeRgb(engine, colours, rgb, { width, height }, out);
  else {
    if (colours) transform(engine, colours, width, height);
    components.forEach((component, index) => {
      const { at, stride, isFloat, bits } = decoded.find((one) => one.component === component)!;
      const [offset, top] = [2 ** (bits - 1), 2 ** bits - 1];
      const [to, pitch] = [out + index * size, width * count];
      engine.run.store(at, stride, width, height, Number(isFloat), offset, top, to, count, pitch, size - 1);
    });
  }
  copyOut(engine, out, strip, plane);
}

/** Stores a strip without code-blocks: all coefficients are 0, which is the middle of each range. */
export function storeBlank(
  components: readonly { readonly bits: number }[],
  strip: Box,
  { components: members, window, samples }: Plane,
): void {
  const count = members.length;
  const values = members.map((component) => 2 ** (components[component]!.bits - 1));
  const row = (strip.x1 - strip.x0) * count;
  const pitch = (window.x1 - window.x0) * count;
  let at = (strip.y0 - window.y0) * pitch + (strip.x0 - window.x0) * count;
  for (let y = strip.y0; y < strip.y1; y++, at += pitch)
    if (values.every((value) => value === values[0])) samples.fill(values[0]!, at, at + row);
    else for (let i = 0; i < row; i++) samples[at + i] = values[i % count]!;
}

const isByte = ({ bits }: StripComponent) => bits === 8;

const areAlike = ([first, ...others]: readonly StripComponent[]) =>
  others.every(({ isFloat, stride }) => isFloat === first?.isFloat && stride === first.stride);

function transform(engine: Engine, colours: readonly StripComponent[], width: number, height: number): void {
  const [a, b, c] = colours as [StripComponent, StripComponent, StripComponent];
  const invert = a.isFloat ? engine.run.inverseIct : engine.run.inverseRct;
  invert(a.at, b.at, c.at, a.stride, width, height);
}

/** The fast path for three components of 8 bits. */
function storeRgb(
  engine: Engine,
  colours: readonly StripComponent[] | undefined,
  decoded: readonly StripComponent[],
  { width, height }: { readonly width: number; readonly height: number },
  out: number,
): void {
  const [a, b, c] = decoded as [StripComponent, StripComponent, StripComponent];
  const kind = colours ? (a.isFloat ? "irreversible" : "reversible") : "none";
  const float = Number(a.isFloat);
  engine.run.storeRgb(
    a.at,
    b.at,
    c.at,
    a.stride,
    width,
    height,
    float,
    transformKinds[kind],
    128,
    out,
    width * 3,
  );
}

/** Copies rows from the module's memory into the plane. */
function copyOut(engine: Engine, out: number, strip: Box, { components, window, samples }: Plane): void {
  const [row, height] = [(strip.x1 - strip.x0) * components.length, strip.y1 - strip.y0];
  const { buffer } = engine.bytes();
  const made =
    samples instanceof Uint16Array
      ? new Uint16Array(buffer, out, row * height)
      : new Uint8Array(buffer, out, row * height);
  const pitch = (window.x1 - window.x0) * components.length;
  let to = (strip.y0 - window.y0) * pitch + (strip.x0 - window.x0) * components.length;
  for (let at = 0; at < made.length; at += row, to += pitch) samples.set(made.subarray(at, at + row), to);
}
