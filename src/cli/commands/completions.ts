// `smalti completions SHELL`: what a shell needs to complete command lines. Each script reads the same table,
// which derives from the rows of the commands.

import { type Among, allFlags, type Command, command } from "./command.ts";

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

/** Command, kind, word, text, among, and the placeholder of the value. */
type Row = readonly [of: string, kind: string, word: string, text?: string, among?: string, value?: string];

/**
 * Returns the table as one word of a shell, a line for each row: `command|kind|word|text|among|value`. Kinds
 * are `word` (it may follow the command), `switch`, `value` and `list` (flags), `operand` and `operands`;
 * among are words, `:file` or `:folder`. `clean` removes characters of the texts that a shell would act on.
 */
function table(commands: readonly Command[], clean = (text: string) => text): string {
  const firsts = new Map<string, string>();
  for (const { name, summary } of commands) {
    const first = firstWord(name);
    if (name === first || !firsts.has(first)) firsts.set(first, summary);
  }
  const rows: readonly Row[] = [
    ...[...firsts].map(([first, summary]): Row => ["", "word", first, summary]),
    ["", "operand", "FOLDER", "", ":folder"],
    ...commands.flatMap((each) => [...secondWord(each), ...flagRows(each), ...operandRows(each, firsts)]),
  ];
  const lines = rows.map(([of, kind, word, text = "", among = "", value = ""]) =>
    [of, kind, word, clean(text.replaceAll("|", " ")), among, value].join("|"),
  );
  return `'${lines.join("\n").replaceAll("'", "'\\''")}'`;
}

const firstWord = (name: string) => name.split(" ")[0] as string;

function secondWord({ name, summary }: Command): Row[] {
  const [first = "", second] = name.split(" ");
  return second === undefined ? [] : [[first, "word", second, summary]];
}

const flagRows = (row: Command): Row[] =>
  Object.entries(allFlags(row)).flatMap(([name, flag]) => {
    const kind = flag.kind === "switch" || flag.kind === "list" ? flag.kind : "value";
    const among = amongText("among" in flag ? flag.among : undefined);
    const value = "value" in flag ? flag.value : "";
    const others = [...(name === "config" ? ["-config"] : []), ...(flag.short ? [`-${flag.short}`] : [])];
    return [`--${name}`, ...others].map((form): Row => [row.name, kind, form, flag.text, among, value]);
  });

/** The help takes names of commands. */
const operandRows = (row: Command, firsts: ReadonlyMap<string, string>): Row[] =>
  (row.operands ?? []).map(({ name, many, among }) => [
    row.name,
    many ? "operands" : "operand",
    name,
    "",
    row.name === "help" ? [...firsts.keys()].join(" ") : amongText(among),
  ]);

const amongText = (among: Among | undefined): string =>
  typeof among === "object" ? among.join(" ") : among === undefined ? "" : `:${among}`;

const bash = (commands: readonly Command[]) => `# bash completion of smalti
_smalti_rows=${table(commands)}
_smalti() {
  local cur=\${COMP_WORDS[COMP_CWORD]} last=\${COMP_WORDS[COMP_CWORD-1]}
  local command= offer= paths= of kind word among
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $'\\n'$_smalti_rows == *$'\\n'"$command|word|$word|"* ]] && command=\${command:+$command }$word
  done
  while IFS='|' read -r of kind word _ among _; do
    [[ $of == "$command" ]] || continue
    case $kind in
      value | list) if [[ $word == "$last" ]]; then offer=$among; break; fi ;;
      operand*) word=$among ;;
    esac
    if [[ $cur == -* ]]; then [[ $word == --* ]] && offer+=" $word"
    elif [[ $word != -* ]]; then offer+=" $word"; fi
  done <<<"$_smalti_rows"
  case "$offer " in *':file '*) paths=-f ;; *':folder '*) paths=-d ;; esac
  offer=\${offer//:file/}
  mapfile -t COMPREPLY < <(compgen $paths -W "\${offer//:folder/}" -- "$cur")
}
complete -o filenames -F _smalti smalti
`;

const zsh = (commands: readonly Command[]) => `#compdef smalti
# zsh completion of smalti
_smalti_rows=${table(commands, (text) => text.replace(/[[\]\\:]/g, " "))}
_smalti() {
  local command= at taken=0 row action
  local -a names specs f
  for (( at = 2; at < CURRENT; at++ )); do
    if [[ $'\\n'$_smalti_rows == *$'\\n'"$command|word|\${words[at]}|"* ]]; then
      command=\${command:+$command }\${words[at]}; taken=$at
    fi
  done
  if (( taken > 0 )); then
    words=(smalti "\${(@)words[taken+1,-1]}")
    (( CURRENT -= taken - 1 ))
  fi
  for row in "\${(@f)_smalti_rows}"; do
    f=("\${(@s:|:)row}")
    [[ $f[1] == "$command" ]] || continue
    case $f[5] in
      :file) action=_files ;;
      :folder) action='_files -/' ;;
      '') action=' ' ;;
      *) action="($f[5])" ;;
    esac
    case $f[2] in
      word) names+=("$f[3]:$f[4]") ;;
      switch) specs+=("$f[3][$f[4]]") ;;
      value) specs+=("$f[3][$f[4]]:$f[6]:$action") ;;
      list) specs+=("*$f[3][$f[4]]:$f[6]:$action") ;;
      operand) specs+=(":$f[3]:$action") ;;
      operands) specs+=("*:$f[3]:$action") ;;
    esac
  done
  (( $#names )) && _describe -t commands command names
  (( $#specs )) && _arguments $specs
}
if [[ $funcstack[1] == _smalti ]]; then _smalti "$@"; else compdef _smalti smalti; fi
`;

const fish = (commands: readonly Command[]) => `# fish completion of smalti
function __smalti_is
  set -l command ''
  for word in (commandline -opc)[2..-1]
    contains -- "$command|$word" $__smalti_words; and set command (string trim -- "$command $word")
  end
  test "$command" = "$argv[1]"
end
set -g __smalti_words
complete -c smalti -f
for row in (string split \\n -- ${table(commands)})
  set -l f (string split '|' -- $row)
  set -l row complete -c smalti -n "__smalti_is '$f[1]'"
  set -l name (string replace -r -- '^-+' '' $f[3])
  set -l option (string match -q -- '--*' $f[3]; and echo -- -l; or echo -- -o)
  test (string length -- $f[3]) = 2; and set option -s
  set -l values -f
  switch $f[5]
    case ''
    case :file
      set values -F
    case :folder
      set values -fa '(__fish_complete_directories)'
    case '*'
      set values -fa $f[5]
  end
  switch $f[2]
    case word
      set -a __smalti_words "$f[1]|$f[3]"
      $row -fa $f[3] -d $f[4]
    case switch
      $row $option $name -d $f[4]
    case value list
      $row $option $name -d $f[4] -r $values
    case '*'
      $row $values
  end
end
`;
