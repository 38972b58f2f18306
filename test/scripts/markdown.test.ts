// Markdown to HTML, by examples of CommonMark 0.31.2 (numbers in brackets) and of GitHub's tables.

import { expect, test } from "vitest";
import { htmlOf } from "../../scripts/markdown.mjs";

test.each([
  [
    "headings become anchors",
    "## Quick start, `now`",
    '<h2 id="quick-start-now">Quick start, <code>now</code></h2>\n',
  ],
  ["lines of a paragraph stay one [219]", "aaa\nbbb\n\nccc", "<p>aaa\nbbb</p>\n<p>ccc</p>\n"],
  ["code binds more than emphasis [342]", "*foo`*`", "<p>*foo<code>*</code></p>\n"],
  ["code is escaped [246]", '`<a href="`">`', "<p><code>&lt;a href=&quot;</code>&quot;&gt;`</p>\n"],
  [
    "strong and emphasis [378, 350]",
    "**foo bar** *foo bar*",
    "<p><strong>foo bar</strong> <em>foo bar</em></p>\n",
  ],
  ["stars beside spaces are text [351]", "a * foo bar*", "<p>a * foo bar*</p>\n"],
  ["links hold code [524]", "[link `x`](/uri)", '<p><a href="/uri">link <code>x</code></a></p>\n'],
  [
    "bare addresses are links [594]",
    "<http://foo.bar.baz>",
    '<p><a href="http://foo.bar.baz">http://foo.bar.baz</a></p>\n',
  ],
  ["tags are text", "<script>x</script> & co", "<p>&lt;script&gt;x&lt;/script&gt; &amp; co</p>\n"],
  [
    "fences keep their lines [119]",
    "```yaml\n<\n >\n```\nafter",
    '<pre tabindex="0"><code>&lt;\n &gt;</code></pre>\n<p>after</p>\n',
  ],
  ["items go on in the next line", "- one\n  more\n- two", "<ul><li>one more</li>\n<li>two</li></ul>\n"],
  ["numbered lists", "1. one\n2. two", "<ol><li>one</li>\n<li>two</li></ol>\n"],
  [
    "tables with an escaped bar in a cell",
    "| f\\|oo |\n| ------ |\n| b `\\|` az |",
    '<div class="table" tabindex="0"><table><thead><tr><th>f|oo</th></tr></thead><tbody><tr><td>b <code>|</code> az</td></tr></tbody></table></div>\n',
  ],
])("%s", (_, markdown, html) => expect(htmlOf(markdown)).toBe(html));

test("links are mapped, and a link that leads nowhere is its text", () => {
  const link = (target: string) => (target === "a.md" ? "a.html" : undefined);
  expect(htmlOf("[a](a.md), [b](../b.md)", link)).toBe('<p><a href="a.html">a</a>, b</p>\n');
});
