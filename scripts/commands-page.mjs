// The commands of the command line as a page.

/** Returns a Markdown page with all commands: their lines, flags, examples and exit codes. */
export function commandsPage({ commands, usageLine, flagLines, exitCodes }) {
  const common = commonFlags(commands.map(flagLines));
  const parts = commands.map((command) => partOf(command, usageLine(command), flagLines(command), common));
  const codes = exitCodes.map(([code, text]) => `| ${code} | ${text} |`).join("\n");
  return `# Command line

Generated from the rows of the commands (\`src/cli/commands\`) by \`npm run docs\`.

\`smalti help\` and \`smalti COMMAND --help\` print the same. Without a command smalti serves. Words in capitals are placeholders, and those in brackets may be left out.
A flag has one dash or two, and its value follows as the next word or after \`=\`; a value that begins with \`-\` needs the second form. Words after \`--\` are no flags.

With \`--json\` the standard output is one JSON document. Messages go to the standard error, and progress too if that is a terminal. After an error the standard output is empty.
Three commands have no \`--json\`: \`serve\` does not end, and \`log.format\` chooses JSON for its log; what \`completions\` prints is a script; \`help\` prints what is on this page.
Files are written whole or not at all, also if the command is interrupted.

| exit code | meaning |
|---|---|
${codes}

| flag of most commands | meaning |
|---|---|
${[...common].join("\n")}

${parts.join("\n")}`;
}

/** Returns the rows of flags that at least five commands have, with the same meaning. */
function commonFlags(all) {
  const rows = all.flatMap((flags) => flags.map(rowOf));
  return new Set(rows.filter((row) => rows.filter((other) => other === row).length >= 5));
}

const rowOf = ([form, text]) => `| \`${form}\` | ${text.replaceAll("|", "\\|")} |`;

function partOf({ name, summary, more, examples = [] }, usage, flags, common) {
  const all = flags.map(rowOf);
  const rows = all.filter((row) => !common.has(row));
  const others = all
    .filter((row) => common.has(row))
    .map((row) => /`-*(.*?)`/.exec(row)[0])
    .join(", ");
  const table = rows.length > 0 ? `\n| flag | meaning |\n|---|---|\n${rows.join("\n")}\n` : "";
  const block =
    examples.length > 0
      ? `\n\`\`\`sh in test/cli/commands/arguments.test.ts\n${examples.join("\n")}\n\`\`\`\n`
      : "";
  return `## ${name}

${sentence(summary)}${more ? ` ${sentence(more.replaceAll("\n", " "))}` : ""}

\`\`\`
${usage}
\`\`\`
${others ? `\nTakes ${others}.\n` : ""}${table}${block}`;
}

/** Returns a line of the help as a sentence. */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
