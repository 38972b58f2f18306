// Sessions, tokens and known networks as text for stores outside of the process: JSON with a format version.

import type { LoginGrant, Session } from "../session.ts";
import type { Networks } from "./networks.ts";
import type { TokenRecord } from "./store.ts";

/** Version of all records. Other versions are not read. */
const formatVersion = 3;
/** Maximum characters of a record. */
export const maxRecord = 64 * 1024;

export const writeSession = ({ createdAt, expiresAt, grants }: Session): string =>
  JSON.stringify({ version: formatVersion, createdAt, expiresAt, grants });

export const writeToken = ({ session, createdAt, expiresAt, profiles }: TokenRecord): string =>
  JSON.stringify({ version: formatVersion, session, createdAt, expiresAt, profiles });

/** The record expires with the last of its networks, of which there is at least one. */
export function writeNetworks(networks: Networks): string {
  const expiresAt = Math.max(...networks.values());
  return JSON.stringify({ version: formatVersion, expiresAt, networks: Object.fromEntries(networks) });
}

/** Parses known networks; undefined for anything but those of this version. */
export function readNetworks(text: string): Networks | undefined {
  const record = parseRecord(text);
  if (record?.version !== formatVersion || !isObject(record.networks)) return undefined;
  const entries = Object.entries(record.networks);
  return entries.every((entry): entry is [string, number] => isTime(entry[1])) ? new Map(entries) : undefined;
}

/** Parses a session; undefined for anything but a session of this version. */
export function readSession(text: string): Session | undefined {
  const record = readRecord(text);
  if (!record || !Array.isArray(record.grants) || !record.grants.every(isGrant)) return undefined;
  return { createdAt: record.createdAt, expiresAt: record.expiresAt, grants: record.grants };
}

/** Parses a token; undefined for anything but a token of this version. */
export function readToken(text: string): TokenRecord | undefined {
  const record = readRecord(text);
  if (!record || typeof record.session !== "string" || !/^[0-9a-f]{64}$/.test(record.session))
    return undefined;
  const { session, createdAt, expiresAt, profiles } = record;
  if (profiles === undefined) return { session, createdAt, expiresAt };
  return isTexts(profiles) ? { session, createdAt, expiresAt, profiles } : undefined;
}

/** Returns when a record of any version expires, or undefined if the text does not say. */
export function expiryOf(text: string): number | undefined {
  const expiry = parseRecord(text)?.expiresAt;
  return isTime(expiry) ? expiry : undefined;
}

interface AnyRecord extends Readonly<Record<string, unknown>> {
  readonly createdAt: number;
  readonly expiresAt: number;
}

function readRecord(text: string): AnyRecord | undefined {
  const record = parseRecord(text);
  const known = record?.version === formatVersion && isTime(record.createdAt) && isTime(record.expiresAt);
  return known ? (record as AnyRecord) : undefined;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > maxRecord) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTime = (value: unknown): value is number => Number.isFinite(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isGrant = (value: unknown): value is LoginGrant =>
  isObject(value) &&
  typeof value.profile === "string" &&
  typeof value.user === "string" &&
  typeof value.fingerprint === "string" &&
  isTime(value.grantedAt) &&
  isTime(value.expiresAt);
