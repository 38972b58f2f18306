// The encoded form of a content state, for the parameter `iiif-content` (Content State API 1.0, section 6).

import { fromBase64Url, ServiceError, toBase64Url } from "../../base/index.ts";

/** Maximum characters of a state as JSON. */
export const maxStateLength = 64 * 1024;

/** Maximum characters of an encoded state, if each of its characters is an escape of four bytes. */
const maxEncodedLength = 16 * maxStateLength;

/** Encodes a content state for an address: base64url, without padding, of the URI-encoded JSON. */
export function encodeState(state: unknown): string {
  return toBase64Url(new TextEncoder().encode(encodeURIComponent(JSON.stringify(state))));
}

/**
 * Decodes the value of `iiif-content` as JSON; an unencoded address becomes a string. Also accepts what other
 * tools write: padding, the alphabet of plain base64, JSON that was not URI-encoded first or not encoded at
 * all, and a whole link to a viewer with the state in it, like the examples of section 3.1.
 *
 * Throws `bad-request` (code invalid_content_state), and `too-large` (code content_state_too_large) for more
 * than `maxStateLength` characters.
 */
export function decodeState(text: string, left = maxLinks): unknown {
  if (text.length > maxEncodedLength) throw tooLargeState();
  const value = stateIn(removeEscapes(text.trim()));
  if (isPlain(value)) return parseText(value);
  // The + of plain base64 arrives as a space if an address was parsed as a form.
  const bytes = fromBase64Url(value.replaceAll(" ", "+"));
  if (!bytes)
    throw invalidState("Expected base64url; received other characters or an incomplete group of them.");
  let decoded: string;
  try {
    decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidState("Expected base64url of text; received that of other bytes.");
  }
  // Some tools omit the first of the two encodings.
  const plain = removeEscapes(decoded);
  const inner = stateIn(plain);
  return inner === plain || left === 0 ? parseText(inner) : decodeState(inner, left - 1);
}

/** Links with an encoded state that are followed within an encoded state. */
const maxLinks = 4;

/** Most times that a whole value is percent-encoded: once by each program that passes it on. */
const maxEscapes = 3;

/** Returns JSON, an address or base64 without the percent-encoding around the whole of it. */
function removeEscapes(text: string): string {
  let plain = text;
  for (let n = 0; n < maxEscapes && plain.includes("%") && !isPlain(plain); n++)
    plain = decodeUri(plain).trim();
  return plain;
}

/** True if a text is unencoded JSON or an address. */
const isPlain = (text: string) => /^\s*[[{"]|^https?:\/\//i.test(text);

/** Returns the state within a link to a viewer; any other text unchanged. */
function stateIn(text: string): string {
  const state = /^https?:\/\/[^?#]*\?(?:[^#]*&)?iiif-content=(.+)$/is.exec(text)?.[1];
  if (state === undefined) return text;
  // Only a state that nobody encoded contains an &; otherwise another parameter of the viewer follows.
  return removeEscapes(decodeUri(isPlain(state) ? state : (state.split(/[&#]/, 1)[0] ?? "")));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidState("Expected percent-encoded UTF-8; received a broken escape.");
  }
}

function parseText(text: string): unknown {
  const json = /^https?:/i.test(text) ? JSON.stringify(text) : text;
  if (json.length > maxStateLength) throw tooLargeState();
  try {
    return JSON.parse(json);
  } catch {
    throw invalidState("Expected JSON; received other text.");
  }
}

/** `found`: what was expected and received, as sentences. */
export function invalidState(found: string): ServiceError {
  return new ServiceError(
    "bad-request",
    `This content state cannot be read. ${found} Copy the whole link or state once more.`,
    { code: "invalid_content_state" },
  );
}

const tooLargeState = () =>
  new ServiceError(
    "too-large",
    `Expected a content state of at most ${maxStateLength} characters; received more. Share a smaller one, such as a link to one canvas.`,
    { code: "content_state_too_large" },
  );
