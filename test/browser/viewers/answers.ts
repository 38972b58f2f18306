// The pictures that a page received.

import type { Page, Request } from "playwright-core";
import sharp from "sharp";
import { mostSide } from "./gated-images.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Sizes of the pictures that a page asked for since the last call, each decoded. */
export function answersTo(page: Page): () => Promise<Size[]> {
  let answers: Promise<Size | undefined>[] = [];
  const sizeOf = async (request: Request) => {
    const response = await request.response();
    if (!response || response.status() >= 400) return undefined;
    const { width, height } = await sharp(await response.body()).metadata();
    return { width, height };
  };
  page.on("request", (request) => {
    // The viewer may have cancelled requests that it no longer needs.
    if (/\/iiif\/[23]\/.*\.(jpg|png)$/.test(request.url()))
      answers.push(sizeOf(request).catch(() => undefined));
  });
  return async () => {
    const asked = answers;
    answers = [];
    return (await Promise.all(asked)).filter((each) => each !== undefined);
  };
}

/** True if a picture shows no more than a substitute does. */
export const isSmall = ({ width, height }: Size) => width <= mostSide && height <= mostSide;
