// The command line: serve, check, hook test, doctor, hash-password, version.

import { parseArguments, usage } from "./commands/arguments.ts";
import { diagnose, doctorQuestion } from "./commands/auth-doctor.ts";
import { checkWarnings } from "./commands/check.ts";
import { CommandError } from "./commands/command-error.ts";
import { hashPasswordCommand } from "./commands/hash-password.ts";
import { type HookQuestion, testHook } from "./commands/hook-test.ts";
import { askAboutImage, imageQuestion } from "./commands/image-doctor.ts";
import { readConfig } from "./commands/read-config.ts";
import { effectiveYaml } from "./config/effective.ts";
import type { Config } from "./config/schema.ts";
import { maskUrls } from "./lib/telemetry/mask-urls.ts";
import type { Platform } from "./platform/platform.ts";
import { serve } from "./start/serve.ts";
import { version } from "./version.ts";

/** Runs a command line to its end; a server runs until it is told to stop. Never throws: mistakes end in exit code 1. */
export async function run(platform: Platform, args: readonly string[]): Promise<void> {
  const out = (text: string) => platform.write?.("out", text);
  const fail = (text: string) => {
    platform.write?.("err", `smalti: ${maskUrls(text)}\n`);
    platform.exit?.(1);
  };
  try {
    if (args[0] === "hash-password") return out(await hashPasswordCommand(platform, args.slice(1)));
    if (args[0] === "doctor") return platform.exit?.(await askDoctor(platform, args.slice(1)));
    const parsed = parseArguments(args);
    if (parsed.command === "help") return out(usage);
    if (parsed.command === "version") return out(`${version}\n`);
    const loaded = await readConfig(platform, parsed);
    if (parsed.command === "check") {
      await check(platform, loaded.config);
      // A look into a folder that hangs would keep the process.
      return platform.exit?.(0);
    }
    if (parsed.question) return platform.exit?.(await askHook(platform, loaded.config, parsed.question));
    await serve(platform, parsed, loaded);
  } catch (error) {
    if (error instanceof CommandError) return fail(error.message);
    fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** Prints the effective configuration, and beside it what is valid but doubtful or cannot be used here. */
async function check(platform: Platform, config: Config): Promise<void> {
  const warnings = await checkWarnings(config, platform).catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  });
  for (const warning of warnings) platform.write?.("err", `smalti: warning: ${warning}\n`);
  platform.write?.("out", effectiveYaml(config));
  platform.exit?.(0); // a server that does not answer may still be waited for
}

/** Prints what the hook says; the exit code. */
async function askHook(platform: Platform, config: Config, question: HookQuestion): Promise<number> {
  const { out, err, failed } = await testHook(config, platform, question).catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  });
  for (const line of err) platform.write?.("err", `smalti: ${maskUrls(line)}\n`);
  if (out !== undefined) platform.write?.("out", out);
  return failed ? 1 : 0;
}

/** Prints what the doctor finds; the exit code. */
async function askDoctor(platform: Platform, args: readonly string[]): Promise<number> {
  const about = args[0] === "auth" ? doctorQuestion(args) : imageQuestion(args);
  const { file } = about;
  const { config } = await readConfig(platform, { command: "check", ...(file && { file }) });
  const asked = "image" in about ? askAboutImage(config, platform, about) : diagnose(config, platform, about);
  const { out, failed } = await asked.catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  });
  platform.write?.("out", out);
  return failed ? 1 : 0;
}
