// The standard output of a command: its result, or the image that it has made.

import type { Platform } from "../../base/index.ts";
import { asCommandError, CommandError } from "./command-error.ts";

/**
 * Writes all of it before it resolves. Throws CommandError if that fails, as on a full disk; a reader that
 * has gone is no failure.
 */
export async function print(platform: Platform, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  if (bytes.length === 0) return;
  try {
    await platform.writeBytes?.(bytes);
  } catch (error) {
    throw new CommandError(`the standard output cannot be written: ${asCommandError(error).message}`);
  }
}
