// The command `init`: asks six questions and writes a configuration.

import { messageOf, type Platform, type Prompt, pathWord } from "../../base/index.ts";
import { absolutePath, loadConfig, problemLines } from "../../server/index.ts";
import { command } from "./command.ts";
import { CommandError, InterruptedError } from "./command-error.ts";
import { type Known, type Question, questions, type Reply } from "./init/questions.ts";
import { interruptOf } from "./interrupt.ts";
import { newFileFlags, refuseExisting, writeNew } from "./new-file.ts";
import { bySection, commentedYaml } from "./yaml/commented-yaml.ts";

export const init = command({
  name: "init",
  summary: "ask six questions, and write a configuration with comments",
  more: "type each answer, or press Enter to accept the one in brackets. In a script, pipe in one answer per line",
  examples: ["smalti init /srv/images"],
  json: "the answers, and the command to run next",
  flags: {
    output: newFileFlags.output,
    yes: { kind: "switch", short: "y", text: "ask nothing, and take the usual answers" },
    internet: {
      kind: "switch",
      text: "the service is on the open internet: the usual answer to that is yes",
    },
    force: newFileFlags.force,
  },
  operands: [{ name: "DIR", among: "folder", optional: true }],
  async run({ platform, flags: { output = "smalti.yaml", yes, force, internet }, operands: [folder] }) {
    const path = absolutePath(platform.cwd ?? "/", output);
    await refuseExisting(platform.files, { path, force });
    const prompt = yes ? undefined : platform.prompt?.();
    if (!yes && !prompt) throw new CommandError("this runtime has no standard input; use --yes");
    const given = new Map([
      ...(folder === undefined ? [] : [["images", absolutePath(platform.cwd ?? "/", folder)] as const]),
      ...(internet ? [["internet", "yes"] as const] : []),
    ]);
    let replies: ReadonlyMap<string, Reply>;
    try {
      replies = await askAll(platform, path.replace(/[^/\\]*$/, ""), { prompt, given });
    } finally {
      prompt?.close();
    }
    const settings = [...replies.values()].flatMap((reply) => reply.settings);
    const next = startCommand(platform, output);
    const yaml = commentedYaml(bySection(settings), { head: headOf(output) });
    const { problems } = loadConfig(yaml, platform.env);
    if (problems) throw new CommandError(problemLines(problems, "these answers"));
    await writeNew(platform, path, yaml);
    const answers = Object.fromEntries([...replies].map(([name, { answer }]) => [name, answer]));
    return {
      text: `${output} is written. The pages under /admin/ need SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS in the environment.\nNext:\n\n    ${next}\n`,
      data: { file: path, answers, next },
    };
  },
});

const headOf = (output: string) =>
  [
    "Configuration of smalti. All keys have defaults; the reference lists them: docs/reference/configuration.md",
    `Check it after a change: smalti check -config ${pathWord(output)}`,
  ].join("\n");

/** Returns the command that serves the new file, as a person types it. */
function startCommand({ startCommands: { program, config } }: Platform, output: string): string {
  return program === undefined && config !== undefined
    ? config
    : `${program ?? "smalti"} -config ${pathWord(output)}`;
}

interface Source {
  /** undefined: the usual answers. */
  readonly prompt: Prompt | undefined;
  /** Usual answers from the command line, by the name of the question. */
  readonly given: ReadonlyMap<string, string>;
}

/** Asks each question until a reply is valid; a program has one try. */
async function askAll(
  platform: Platform,
  base: string,
  { prompt, given }: Source,
): Promise<ReadonlyMap<string, Reply>> {
  const replies = new Map<string, Reply>();
  for (const [at, question] of questions.entries()) {
    const known: Known = {
      platform,
      folder: base,
      earlier: replies,
      askFor: (text, hidden = false) => nextLine(platform, { prompt, at, hidden, text: `     ${text}: ` }),
    };
    const usual = given.get(question.name) ?? (await question.usual(known));
    replies.set(question.name, await replyTo(question, known, { prompt, usual, at }));
  }
  return replies;
}

interface Asked {
  readonly prompt: Prompt | undefined;
  readonly usual: string;
  /** Index of the question. */
  readonly at: number;
}

async function replyTo(question: Question, known: Known, { prompt, usual, at }: Asked): Promise<Reply> {
  const say = (text: string) => {
    if (prompt?.typed && text !== "") known.platform.write?.("err", `     ${text}\n`);
  };
  if (prompt?.typed)
    known.platform.write?.("err", `${at === 0 ? "" : "\n"}${at + 1}/${questions.length}  ${question.text}\n`);
  say(question.hint ?? "");
  for (;;) {
    const line = prompt
      ? (await nextLine(known.platform, { prompt, at, text: `     [${usual}] ` })).trim()
      : "";
    try {
      const reply = await question.read(line || usual, known);
      say(reply.note);
      return reply;
    } catch (error) {
      if (error instanceof InterruptedError || error instanceof CommandError) throw error;
      const message = messageOf(error);
      if (!prompt?.typed) throw new CommandError(`question ${at + 1} (${question.name}): ${message}`);
      say(message);
    }
  }
}

/** Returns the next line. Throws InterruptedError if a person breaks off, CommandError if there is none. */
async function nextLine(
  platform: Platform,
  {
    prompt,
    at,
    text,
    hidden = false,
  }: {
    readonly prompt: Prompt | undefined;
    readonly at: number;
    readonly text: string;
    readonly hidden?: boolean;
  },
): Promise<string> {
  const line = await Promise.race([rejectOnInterrupt(platform), prompt?.ask(text, { hidden })]);
  if (line !== undefined) return line;
  if (prompt?.typed) throw new InterruptedError("interrupted; nothing is written");
  throw new CommandError(
    `the standard input ended before the answer to question ${at + 1}; give a line for each of the ${questions.length} questions, or use --yes`,
  );
}

/** Rejects when a signal ends the command. */
const rejectOnInterrupt = (platform: Platform) =>
  new Promise<never>((_, reject) => {
    const signal = interruptOf(platform);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
