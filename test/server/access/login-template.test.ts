// Operators' login pages: which templates are accepted, what they show, and which a start refuses, with the
// line.

import { describe, expect, test } from "vitest";
import { type LoginFields, parseLoginTemplate } from "../../../src/server/access/logins/template.ts";

const fields: LoginFields = {
  Title: "T",
  LogoURL: "/l.svg",
  Heading: "H",
  Description: "",
  ConfirmLabel: "C",
  ReturnTo: "/r",
  Active: true,
  Username: "u",
  Error: "",
};
const marked = (text: string) => `[${text}]`;
const shown = (source: string, over: Partial<LoginFields> = {}) =>
  parseLoginTemplate(source)({ ...fields, ...over }, marked);

describe("a template", () => {
  test.each([
    ["plain", "plain"],
    ["", ""],
    ["{{ .Title }}{{.LogoURL}}{{  .Heading\n}}", "[T][/l.svg][H]"],
    ["{{ .ConfirmLabel }} {{ .ReturnTo }} {{ .Username }} {{ .Active }}", "[C] [/r] [u] [true]"],
    ["a{{ if .Active }}b{{ else }}c{{ end }}d", "abd"],
    ["a{{ if .Error }}b{{ else }}c{{ end }}d", "acd"],
    ["a{{ if .Description }}b{{ end }}d", "ad"],
    ["{{ if .Active }}{{ if .Error }}x{{ else }}{{ .Title }}{{ end }}{{ else }}y{{ end }}z", "[T]z"],
    ["<input value=\"{{ .Username }}\" name='{{ .Title }}'>", "<input value=\"[u]\" name='[T]'>"],
    [
      "<style>a{}</style><script>1</script><!-- > -->{{ .Title }}",
      "<style>a{}</style><script>1</script><!-- > -->[T]",
    ],
    ["<a title='\">'>{{ .Title }}</a> 1 < 2 {{ .Title }}", "<a title='\">'>[T]</a> 1 < 2 [T]"],
    ["} }} { {", "} }} { {"],
  ])("%j shows %j", (source, page) => {
    expect(shown(source)).toBe(page);
  });

  test("evaluates nothing that it shows", () => {
    expect(shown("{{ .Username }}", { Username: "{{ .Title }}" })).toBe("[{{ .Title }}]");
  });

  test.each([
    ["{{ .Nothing }}", /^line 1: there is no field \.Nothing; there are \.Title, /],
    ["a\nb\n{{ .constructor }}", /^line 3: there is no field \.constructor/],
    ["{{ Title }}", /^line 1: expected a field such as/],
    ["{{ .Title | html }}", /^line 1: expected a field/],
    ["{{ range .Title }}{{ end }}", /^line 1: expected a field/],
    ["{{ if .Title .Active }}{{ end }}", /^line 1: expected a field/],
    ["{{ if .Other }}{{ end }}", /^line 1: there is no field \.Other/],
    ["\n{{ if .Active }}x", /^line 2: expected \{\{ end \}\} after this if/],
    ["{{ end }}", /^line 1: expected an if before end/],
    ["{{ else }}", /^line 1: expected an if before else/],
    ["{{ if .Active }}{{ else }}{{ else }}{{ end }}", /^line 1: expected an if before else/],
    ["\n\n{{ .Title", /^line 3: expected \}\} after \{\{/],
    ["<input value={{ .ReturnTo }}>", /^line 1: \.ReturnTo stands in an attribute without quotes/],
    ["<input {{ .ReturnTo }}>", /without quotes/],
    ["<script>x('{{ .ReturnTo }}')</script>", /\.ReturnTo stands in a script/],
    ["<STYLE>\n{{ .Title }}</STYLE>", /^line 2: \.Title stands in a style/],
    ["<!-- {{ .Title }} -->", /stands in a comment/],
  ])("%j is refused", (source, message) => {
    expect(() => parseLoginTemplate(source)).toThrow(message);
  });
});
