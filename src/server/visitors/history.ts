// What a network did of late, as far as it tells a viewer from a crawler: which images it opened, and whether
// the tiles that it asked for followed each other as those of a reader do. Nothing of it names a person.

import type { Meter } from "../../base/index.ts";

/** Where a tile lies, in pixels of the whole image. */
export interface SeenTile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Pixels of the image for one of the tile. */
  readonly scale: number;
}

/** An image that a network looks at. */
interface SeenImage {
  /** Number that stands for its identifier, which may be long. */
  readonly name: number;
  /** When it was asked for last. */
  at: number;
  /** True if its image information was asked for. */
  informed: boolean;
  /** One bit for each power of two of the scales of tiles that followed each other. */
  scales: number;
  /** Number of tiles that followed each other. */
  followed: number;
  tile: SeenTile | undefined;
}

/** What is known of a network. */
export interface History {
  /** What the network has used. */
  readonly meters: Partial<Record<string, Meter>>;
  /** The images that it looks at, the latest last; none for a network that sent one request. */
  images: SeenImage[];
  /** When tiles followed each other last, of a network that is taken for a viewer; -Infinity before. */
  earnedAt: number;
  /** Images that the network has opened as a viewer since `hour`; of a /48, networks that were viewers. */
  opened: number;
  /** Beginning of the hour that `opened`, `tiles` and `big` count. */
  hour: number;
  tiles: number;
  big: number;
}

/** Milliseconds after which tiles of an image no longer follow earlier ones. */
const followMs = 10 * 60_000;
/** Milliseconds for which a network that has earned it is taken for a viewer without further tiles. */
const earnedMs = 30 * 60_000;
const hourMs = 3_600_000;
/** Images that are remembered of a network. */
const maxImages = 4;
/** Images that a network may open as a viewer in an hour: a reader turns a page a minute. */
const maxOpened = 60;
/** Networks of a /48 of IPv6 that are taken for viewers in an hour: it has 65,536. */
const maxEarned = 240;
/** Tiles that follow each other, on two scales, before a network is taken for a viewer. */
const leastFollowed = 3;
/** Large requests in an hour, without any tile, after which a network is taken for a program. */
const leastBig = 5;

/** Returns the history of a network that was never seen. */
export const newHistory = (now: number): History => ({
  meters: {},
  images: [],
  earnedAt: Number.NEGATIVE_INFINITY,
  opened: 0,
  hour: now,
  tiles: 0,
  big: 0,
});

/** Records that image information was asked for. */
export function noteInformation(history: History, identifier: string, now: number): void {
  imageOf(history, identifier, now).informed = true;
}

/** Records a large request. */
export function noteBig(history: History, now: number): void {
  beginHour(history, now);
  history.big++;
}

/**
 * Records a tile. Returns true if it follows what the network did before as a viewer's tiles do: after image
 * information, or next to, above or below the tile before.
 */
export function noteTile(history: History, identifier: string, tile: SeenTile, now: number): boolean {
  beginHour(history, now);
  history.tiles++;
  const image = imageOf(history, identifier, now);
  const follows = image.informed || (image.tile !== undefined && isNear(image.tile, tile));
  image.tile = tile;
  if (!follows) return false;
  image.followed++;
  image.scales |= 1 << Math.min(30, Math.round(Math.log2(Math.max(1, tile.scale))));
  const isViewed = image.followed >= leastFollowed && (image.scales & (image.scales - 1)) !== 0;
  if (image.followed === leastFollowed) history.opened++;
  if (history.opened > maxOpened) return false;
  if (isViewed || isEarned(history, now)) history.earnedAt = now;
  return true;
}

/** True if a network has done what a viewer does, and did so a short while ago. */
export function isEarned({ earnedAt, opened }: History, now: number): boolean {
  return now - earnedAt < earnedMs && opened <= maxOpened;
}

/**
 * Records that a network of a /48 of IPv6 is taken for a viewer. Returns false if its networks were too often
 * in this hour.
 */
export function noteEarned(site: History, now: number): boolean {
  beginHour(site, now);
  site.opened++;
  return site.opened <= maxEarned;
}

/** True if a network asked for large images alone. */
export const isLikeProgram = ({ tiles, big }: History): boolean => tiles === 0 && big >= leastBig;

function beginHour(history: History, now: number): void {
  if (now - history.hour < hourMs) return;
  history.hour = now;
  history.opened = 0;
  history.tiles = 0;
  history.big = 0;
}

function imageOf(history: History, identifier: string, now: number): SeenImage {
  const { images } = history;
  const name = numberOf(identifier);
  const at = images.findIndex((image) => image.name === name);
  let image = at < 0 ? undefined : images[at];
  if (!image || now - image.at > followMs)
    image = { name, at: now, informed: false, scales: 0, followed: 0, tile: undefined };
  if (at >= 0) images.splice(at, 1);
  else if (images.length >= maxImages) images.shift();
  image.at = now;
  images.push(image);
  return image;
}

/** Returns a number for a text. Two images of one number are taken for one, which changes little. */
function numberOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

/**
 * True if a viewer may ask for a tile after another one: at the same scale at most two tiles away, or at up
 * to four times the scale, either way, where they overlap or touch.
 */
function isNear(before: SeenTile, tile: SeenTile): boolean {
  const ratio = before.scale / tile.scale;
  if (ratio > 4 || ratio < 1 / 4) return false;
  const reach = 2 * Math.max(before.width, before.height, tile.width, tile.height);
  return (
    gapOf(before.x, before.width, tile.x, tile.width) <= reach &&
    gapOf(before.y, before.height, tile.y, tile.height) <= reach
  );
}

/** Returns how far two spans are apart; below 0 if they overlap. */
const gapOf = (start: number, extent: number, other: number, otherExtent: number): number =>
  Math.max(start, other) - Math.min(start + extent, other + otherExtent);
