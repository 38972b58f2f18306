// All commands, in the order of the help.

import { doctorAuth } from "./auth-doctor.ts";
import { check } from "./check.ts";
import type { Command } from "./command.ts";
import { completions } from "./completions.ts";
import { convert } from "./convert.ts";
import { exportCommand } from "./export.ts";
import { hashPasswordCommand } from "./hash-password.ts";
import { help } from "./help.ts";
import { hookTest } from "./hook-test.ts";
import { doctor } from "./image-doctor.ts";
import { importCommand } from "./import.ts";
import { info } from "./info.ts";
import { init } from "./init.ts";
import { purge } from "./purge.ts";
import { renderCommand } from "./render.ts";
import { serveCommand } from "./serve.ts";
import { sessionsEnd } from "./sessions.ts";
import { sign } from "./sign.ts";
import { versionCommand } from "./version.ts";
import { warmCommand } from "./warm.ts";

export const commands: readonly Command[] = [
  serveCommand,
  init,
  importCommand,
  check,
  info,
  renderCommand,
  convert,
  doctor,
  doctorAuth,
  warmCommand,
  exportCommand,
  purge,
  sign,
  hookTest,
  sessionsEnd,
  hashPasswordCommand,
  completions,
  versionCommand,
  help,
];
