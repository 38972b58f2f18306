// Runs programs from a small shell. A test process of 400 MB takes 10 ms of CPU to fork, and as long to end
// the copy; the shell takes one.

import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Ended {
  /** As a shell has it: 127 for a program that is not installed, 128 and its number for a signal. */
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a function that runs a line in a shell, which ends with this process, and returns its status. */
function openShell(): (line: string) => number {
  const folder = mkdtempSync(join(tmpdir(), "smalti-shell-"));
  const [lines, statuses] = [join(folder, "lines"), join(folder, "statuses")];
  spawnSync("mkfifo", [lines, statuses]);
  // Threads of ImageMagick cost more than the small pictures of tests.
  const env = { ...process.env, MAGICK_THREAD_LIMIT: "1" };
  spawn("sh", ["-c", 'exec sh <"$0" 3>"$1"', lines, statuses], { stdio: "ignore", env }).unref();
  const [ask, told] = [openSync(lines, "w"), openSync(statuses, "r")];
  rmSync(folder, { recursive: true });
  const status = Buffer.alloc(8);
  return (line) => {
    writeSync(ask, `(${line}) 3>&-; echo $? >&3\n`);
    const length = readSync(told, status);
    if (length > 0) return Number(status.toString("latin1", 0, length));
    closeSync(ask);
    throw new Error(`The shell ended at: ${line}`);
  };
}

let shell: ReturnType<typeof openShell> | undefined;

/** Runs a program to its end, in the folder `cwd` and with `input` as its standard input. */
export function run(
  program: string,
  args: readonly string[],
  { input = "", cwd = process.cwd() }: { readonly input?: Uint8Array | string; readonly cwd?: string } = {},
): Ended {
  shell ??= openShell();
  const folder = mkdtempSync(join(tmpdir(), "smalti-run-"));
  try {
    const [stdin, stdout, stderr] = ["in", "out", "err"].map((name) => join(folder, name));
    writeFileSync(stdin!, input);
    const files = `<${quoted(stdin!)} >${quoted(stdout!)} 2>${quoted(stderr!)}`;
    const status = shell(
      `exec ${files}; cd ${quoted(cwd)} && exec ${[program, ...args].map(quoted).join(" ")}`,
    );
    return {
      status,
      stdout: new Uint8Array(readFileSync(stdout!)),
      stderr: readFileSync(stderr!, "utf8"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a program and returns its standard output. Throws if it fails. */
export function outputOf(...call: Parameters<typeof run>): Uint8Array {
  const { status, stdout, stderr } = run(...call);
  if (status !== 0) throw new Error(`${[call[0], ...call[1]].join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Arguments by which a program says its version, unless it is `-version`. */
const asks: Readonly<Record<string, string>> = {
  exiftool: "-ver",
  pdftoppm: "-v",
  pdftotext: "-v",
  qpdf: "--version",
  opj_compress: "-h",
  opj_decompress: "-h",
  tiffcp: "-h",
};

const versions = new Map<string, string | undefined>();

/** Returns what a program says about its version, asked once a process; undefined if it is not installed. */
export function versionOf(program: string): string | undefined {
  if (!versions.has(program)) {
    const { status, stdout, stderr } = run(program, [asks[program] ?? "-version"]);
    versions.set(program, status === 127 ? undefined : `${Buffer.from(stdout)}${stderr}`);
  }
  return versions.get(program);
}

/** True if a program is installed. */
export const isInstalled = (program: string) => versionOf(program) !== undefined;

/** True if a program is installed; always in CI, where tests fail without it. */
export const hasProgram = (program: string) => isInstalled(program) || process.env.CI !== undefined;
