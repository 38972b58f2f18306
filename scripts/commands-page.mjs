// The commands of the command line as a page.

/** Returns a Markdown page with all commands: their lines, flags and exit codes. */
export function commandsPage({ commands, usageLine, flagLines, exitCodes }) {
  const parts = commands.map((command) => partOf(command, usageLine(command), flagLines(command)));
  const codes = exitCodes.map(([code, text]) => `| ${code} | ${text} |`).join("\n");
  return `# Command line

Generated from the rows of the commands (\`src/commands\`) by \`npm run docs\`.

\`smalti help\` and \`smalti COMMAND --help\` print the same. Without a command smalti serves. Words in capitals are placeholders, and those in brackets may be left out.
A flag has one dash or two. Progress appears on a terminal only, on the standard error; with \`--json\` the standard output is one JSON document.

| exit code | meaning |
|---|---|
${codes}

${parts.join("\n")}`;
}

function partOf({ name, summary, more }, usage, flags) {
  const rows = flags.map(([form, text]) => `| \`${form}\` | ${text.replaceAll("|", "\\|")} |`);
  const table = rows.length > 0 ? `\n| flag | meaning |\n|---|---|\n${rows.join("\n")}\n` : "";
  return `## ${name}

${sentence(summary)}${more ? ` ${sentence(more.replaceAll("\n", " "))}` : ""}

\`\`\`
${usage}
\`\`\`
${table}`;
}

/** Returns a line of the help as a sentence. */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
