// `smalti completions SHELL`: what a shell needs to complete command lines, from the rows of the commands.

import { type Among, allFlags, type Command, command, type Flag } from "./command.ts";

export const completions = command({
  name: "completions",
  summary: "print completions for a shell",
  more: "for bash, source them in ~/.bashrc; for zsh, write them to the file _smalti in a folder of fpath;\nfor fish, to ~/.config/fish/completions/smalti.fish",
  examples: ["source <(smalti completions bash)"],
  flags: {},
  operands: [{ name: "SHELL", among: ["bash", "zsh", "fish"] }],
  run: async ({ operands: [shell], commands }) => ({
    text: shell === "bash" ? bash(commands) : shell === "zsh" ? zsh(commands) : fish(commands),
  }),
});

/** First words, and by each the second ones. */
function wordTree(commands: readonly Command[]): ReadonlyMap<string, readonly Command[]> {
  const tree = new Map<string, Command[]>();
  for (const each of commands) {
    const [first = "", second] = each.name.split(" ");
    tree.set(first, [...(tree.get(first) ?? []), ...(second === undefined ? [] : [each])]);
  }
  return tree;
}

const secondWord = ({ name }: Command) => name.split(" ")[1] ?? "";

/** All that may begin a command line behind `smalti`, and names of commands without their second word. */
const prefixes = (commands: readonly Command[]): string[] => [
  ...new Set([...wordTree(commands).keys(), ...commands.map(({ name }) => name)]),
];

/** What the operands of a command are; the help takes names of commands. */
function operandAmong({ name, operands = [] }: Command, commands: readonly Command[]): Among | undefined {
  return name === "help" ? [...wordTree(commands).keys()] : operands[0]?.among;
}

/** Flags as they are written, with their values. */
const written = (row: Command): { readonly forms: readonly string[]; readonly flag: Flag }[] =>
  Object.entries(allFlags(row)).map(([name, flag]) => ({
    forms: [
      `--${name}`,
      ...(name === "config" ? ["-config"] : []),
      ...(flag.short ? [`-${flag.short}`] : []),
    ],
    flag,
  }));

const amongOf = (flag: Flag): Among | undefined => ("among" in flag ? flag.among : undefined);

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

// bash

/** Statements that offer values; words that begin with the current one. */
function bashOffer(words: readonly string[], among: Among | undefined): string {
  const listed = [...words, ...(typeof among === "object" ? among : [])];
  const actions = [
    ...(listed.length > 0 ? [`-W ${quoted(listed.join(" "))}`] : []),
    ...(among === "file" ? ["-f"] : among === "folder" ? ["-d"] : []),
  ];
  if (actions.length === 0) return "COMPREPLY=()";
  return `mapfile -t COMPREPLY < <(compgen ${actions.join(" ")} -- "$cur")`;
}

function bash(commands: readonly Command[]): string {
  const tree = wordTree(commands);
  const steps = prefixes(commands).map((name) => {
    const [first, second] = name.split(" ");
    return `      ${quoted(second === undefined ? ` ${first}` : `${first} ${second}`)}) command=${quoted(name)} ;;`;
  });
  const values = commands.flatMap((row) =>
    written(row)
      .filter(({ flag }) => flag.kind !== "switch")
      .map(({ forms, flag }) => {
        const patterns = forms.map((form) => quoted(`${row.name}:${form}`)).join(" | ");
        return `    ${patterns}) ${bashOffer([], amongOf(flag))}; return ;;`;
      }),
  );
  const offers = prefixes(commands).map((name) => {
    const row = commands.find((each) => each.name === name);
    const seconds = name.includes(" ") ? [] : (tree.get(name) ?? []).map(secondWord);
    const flags = row ? written(row).map(({ forms }) => forms[0] as string) : [];
    const among = row && operandAmong(row, commands);
    return `    ${quoted(name)}) if [[ $cur == -* ]]; then ${bashOffer(flags, undefined)}; else ${bashOffer(seconds, among)}; fi ;;`;
  });
  return `# bash completion of smalti
_smalti() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${steps.join("\n")}
    esac
  done
  case "$command:\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "$command" in
    '') ${bashOffer([...tree.keys()], "folder")} ;;
${offers.join("\n")}
  esac
}
complete -o filenames -F _smalti smalti
`;
}

// zsh

/** The action of _arguments for a value. */
const zshAction = (among: Among | undefined): string =>
  typeof among === "object"
    ? `(${among.join(" ")})`
    : among === "file"
      ? "_files"
      : among === "folder"
        ? "_files -/"
        : " ";

/** Without the characters that end a part of a specification. */
const zshText = (text: string) => text.replace(/[[\]\\:]/g, " ");

function zshSpecs(row: Command, commands: readonly Command[]): string[] {
  const flags = written(row).flatMap(({ forms, flag }) =>
    forms.map((form) => {
      const value = flag.kind === "switch" ? "" : `:${zshText(flag.value)}:${zshAction(amongOf(flag))}`;
      return quoted(`${flag.kind === "list" ? "*" : ""}${form}[${zshText(flag.text)}]${value}`);
    }),
  );
  const operands = (row.operands ?? []).map(({ name, many, among }) =>
    quoted(
      `${many ? "*" : ""}:${name}:${zshAction(row.name === "help" ? operandAmong(row, commands) : among)}`,
    ),
  );
  return [...flags, ...operands];
}

function zsh(commands: readonly Command[]): string {
  const tree = wordTree(commands);
  const listed = (names: readonly (readonly [string, string])[]) =>
    names.map(([name, text]) => quoted(`${name}:${zshText(text)}`)).join(" ");
  const firsts = [...tree].map(([first, seconds]) => {
    const row = commands.find(({ name }) => name === first) ?? seconds[0];
    return [first, row?.summary ?? ""] as const;
  });
  const cases = prefixes(commands).map((name) => {
    const row = commands.find((each) => each.name === name);
    const seconds = name.includes(" ") ? [] : (tree.get(name) ?? []);
    const describe = seconds.map((each) => [secondWord(each), each.summary] as const);
    return [
      `    ${quoted(name)})`,
      ...(describe.length > 0
        ? [`      names=(${listed(describe)}); _describe -t commands command names`]
        : []),
      ...(row ? [`      _arguments ${zshSpecs(row, commands).join(" ") || "':: :'"}`] : []),
      "      ;;",
    ].join("\n");
  });
  const steps = prefixes(commands).map((name) => {
    const [first, second] = name.split(" ");
    return `      ${quoted(second === undefined ? ` ${first}` : `${first} ${second}`)}) command=${quoted(name)}; taken=$at ;;`;
  });
  return `#compdef smalti
# zsh completion of smalti
_smalti() {
  local command= at taken=0
  local -a names
  for (( at = 2; at < CURRENT; at++ )); do
    case "$command \${words[at]}" in
${steps.join("\n")}
    esac
  done
  if (( taken > 0 )); then
    words=(smalti "\${(@)words[taken+1,-1]}")
    (( CURRENT -= taken - 1 ))
  fi
  case "$command" in
    '')
      names=(${listed(firsts)}); _describe -t commands command names
      _files -/
      ;;
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _smalti ]]; then _smalti "$@"; else compdef _smalti smalti; fi
`;
}

// fish

function fish(commands: readonly Command[]): string {
  const tree = wordTree(commands);
  const steps = prefixes(commands).map((name) => {
    const [first, second] = name.split(" ");
    return `      case ${quoted(second === undefined ? ` ${first}` : `${first} ${second}`)}\n        set command ${quoted(name)}`;
  });
  const when = (name: string) => `complete -c smalti -n ${quoted(`__smalti_is ${quoted(name)}`)}`;
  const values = (among: Among | undefined) =>
    typeof among === "object"
      ? ` -fa ${quoted(among.join(" "))}`
      : among === "file"
        ? " -F"
        : among === "folder"
          ? " -fa '(__fish_complete_directories)'"
          : " -f";
  const firsts = [...tree].map(([first, seconds]) => {
    const row = commands.find(({ name }) => name === first) ?? seconds[0];
    return `${when("")} -fa ${quoted(first)} -d ${quoted(row?.summary ?? "")}`;
  });
  const rows = commands.flatMap((row) => {
    const seconds = row.name.includes(" ") ? [] : (tree.get(row.name) ?? []);
    return [
      ...seconds.map(
        (each) => `${when(row.name)} -fa ${quoted(secondWord(each))} -d ${quoted(each.summary)}`,
      ),
      ...written(row).map(({ forms, flag }) => {
        const names = forms.map((form) =>
          form.startsWith("--")
            ? `-l ${form.slice(2)}`
            : form.length === 2
              ? `-s ${form.slice(1)}`
              : `-o ${form.slice(1)}`,
        );
        const value = flag.kind === "switch" ? "" : ` -r${values(amongOf(flag))}`;
        return `${when(row.name)} ${names.join(" ")} -d ${quoted(flag.text)}${value}`;
      }),
      `${when(row.name)}${values(operandAmong(row, commands))}`,
    ];
  });
  const halves = [...tree].flatMap(([first, seconds]) =>
    commands.some(({ name }) => name === first)
      ? []
      : seconds.map((each) => `${when(first)} -fa ${quoted(secondWord(each))} -d ${quoted(each.summary)}`),
  );
  return `# fish completion of smalti
function __smalti_is
  set -l command ''
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
${steps.join("\n")}
    end
  end
  test "$command" = "$argv[1]"
end
complete -c smalti -n ${quoted("__smalti_is ''")} -fa '(__fish_complete_directories)'
${[...firsts, ...halves, ...rows].join("\n")}
`;
}
