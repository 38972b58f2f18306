// Operators' login pages: HTML with fields and conditions in double braces. Nothing else is evaluated.

/** Fields that a template may use. */
export interface LoginFields {
  readonly Title: string;
  readonly LogoURL: string;
  readonly Heading: string;
  readonly Description: string;
  readonly ConfirmLabel: string;
  readonly ReturnTo: string;
  readonly Active: boolean;
  readonly Username: string;
  readonly Error: string;
}

/**
 * A parsed template: returns its page for the fields, which `makeSafe` escapes for text and quoted
 * attributes.
 */
export type LoginTemplate = (fields: LoginFields, makeSafe: (text: string) => string) => string;

type FieldName = keyof LoginFields;

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly field: FieldName }
  | { readonly kind: "choice"; readonly field: FieldName; readonly yes: Part[]; readonly no: Part[] };

const fieldNames = {
  Title: true,
  LogoURL: true,
  Heading: true,
  Description: true,
  ConfirmLabel: true,
  ReturnTo: true,
  Active: true,
  Username: true,
  Error: true,
} as const satisfies Record<FieldName, true>;

const isField = (name: string): name is FieldName => Object.hasOwn(fieldNames, name);

/**
 * Parses a template: `{{ .Title }}`, `{{ if .Active }}…{{ else }}…{{ end }}`. Throws an Error with the line
 * and the fault: another action, an unknown field, an `if` without `end`, or a field in a position that
 * escaping does not make safe.
 */
export function parseLoginTemplate(source: string): LoginTemplate {
  const root: Part[] = [];
  const open: {
    readonly choice: Extract<Part, { kind: "choice" }>;
    readonly line: number;
    inElse: boolean;
  }[] = [];
  const state = createState();
  let line = 1;
  const add = (part: Part) => {
    const last = open.at(-1);
    (last ? (last.inElse ? last.choice.no : last.choice.yes) : root).push(part);
  };
  const fail = (message: string): never => {
    throw new Error(`line ${line}: ${message}`);
  };
  const checkName = (name: string): FieldName =>
    isField(name)
      ? name
      : fail(
          `there is no field .${name}; there are ${Object.keys(fieldNames)
            .map((each) => `.${each}`)
            .join(", ")}`,
        );

  /** Adds the result of the action between braces. */
  const act = (action: string) => {
    const [, condition] = /^if\s+\.(\w+)$/.exec(action) ?? [];
    const [, field] = /^\.(\w+)$/.exec(action) ?? [];
    const last = open.at(-1);
    if (condition !== undefined) {
      const choice = { kind: "choice", field: checkName(condition), yes: [], no: [] } as const satisfies Part;
      add(choice);
      open.push({ choice, line, inElse: false });
    } else if (action === "else") {
      if (!last || last.inElse) fail("expected an if before else");
      else last.inElse = true;
    } else if (action === "end") {
      if (!last) fail("expected an if before end");
      open.pop();
    } else if (field !== undefined) {
      const name = checkName(field);
      const fault = state.fault();
      if (fault !== undefined)
        fail(`.${name} stands ${fault}; move it into text or into an attribute in quotes`);
      add({ kind: "field", field: name });
    } else fail("expected a field such as {{ .Title }}, {{ if .Active }}, {{ else }} or {{ end }}");
  };

  for (const [at, piece] of source.split(/\{\{(.*?)\}\}/s).entries()) {
    if (at % 2 === 0) {
      const unclosed = piece.indexOf("{{");
      if (unclosed >= 0) {
        line += piece.slice(0, unclosed).split("\n").length - 1;
        fail("expected }} after {{");
      }
      state.read(piece);
      if (piece !== "") add({ kind: "text", text: piece });
    } else {
      act(piece.trim());
    }
    line += piece.split("\n").length - 1;
  }
  const [unended] = open;
  if (unended) throw new Error(`line ${unended.line}: expected {{ end }} after this if`);
  return (fields, makeSafe) => fillIn(root, fields, makeSafe);
}

function fillIn(parts: readonly Part[], fields: LoginFields, makeSafe: (text: string) => string): string {
  let html = "";
  for (const part of parts) {
    if (part.kind === "text") html += part.text;
    else if (part.kind === "field") html += makeSafe(String(fields[part.field]));
    else html += fillIn(fields[part.field] ? part.yes : part.no, fields, makeSafe);
  }
  return html;
}

/** Tracks the position within HTML, as far as escaping depends on it. */
function createState(): { read(text: string): void; fault(): string | undefined } {
  let state: "text" | "tag" | "'" | '"' | "comment" | "script" | "style" = "text";
  let tag = "";
  const leaveText = (rest: string): number => {
    const found = /<!--|<(\/?[a-z][^\s/>]*)/i.exec(rest);
    if (!found) return rest.length;
    state = found[1] === undefined ? "comment" : "tag";
    tag = (found[1] ?? "").toLowerCase();
    return found.index + found[0].length;
  };
  const leaveTag = (rest: string): number => {
    const found = /["'>]/.exec(rest);
    if (!found) return rest.length;
    if (found[0] === ">") state = tag === "script" || tag === "style" ? tag : "text";
    else state = found[0] as "'" | '"';
    return found.index + 1;
  };
  const step = (rest: string): number => {
    if (state === "text") return leaveText(rest);
    if (state === "tag") return leaveTag(rest);
    const end = state === "comment" ? "-->" : state === "script" || state === "style" ? `</${state}` : state;
    const at = rest.toLowerCase().indexOf(end);
    if (at < 0) return rest.length;
    state = state === "'" || state === '"' || end.startsWith("</") ? "tag" : "text";
    if (end.startsWith("</")) tag = end.slice(1);
    return at + end.length;
  };
  return {
    read(text) {
      for (let at = 0; at < text.length; ) at += step(text.slice(at));
    },
    fault() {
      if (state === "tag") return "in an attribute without quotes around it";
      if (state === "script" || state === "style" || state === "comment") return `in a ${state}`;
      return undefined;
    },
  };
}
