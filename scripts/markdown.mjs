// Converts Markdown as the pages of docs/ use it to HTML: headings, paragraphs, lists, tables, fenced code,
// and code, links, images and emphasis within a line (CommonMark, with GitHub's tables). Unknown syntax stays
// text, escaped.

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (character) => entities[character]);

const listItem = /^(?:- |\d+\. )/;

/**
 * Kinds of blocks: what their first line is like, and how the lines from there become HTML; the rest is a
 * paragraph.
 */
const blocks = [
  [/^```/, fence],
  [/^#{1,6} /, heading],
  [/^\|/, table],
  [listItem, list],
];

/**
 * Returns the HTML of a page. `link` maps the target of a link or image; undefined removes the link and
 * leaves its text.
 */
export function htmlOf(markdown, link = (target) => target) {
  const lines = markdown.split(/\r?\n/);
  const out = [];
  const inline = (text) => spans(text, link);
  while (lines.length > 0) {
    if (lines[0].trim() === "") lines.shift();
    else out.push((blocks.find(([start]) => start.test(lines[0]))?.[1] ?? paragraph)(lines, inline));
  }
  return `${out.join("\n")}\n`;
}

/** Takes lines from the front while they are wanted. */
function take(lines, wanted) {
  const end = lines.findIndex((line) => !wanted(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

const startsBlock = (line) => line.trim() === "" || blocks.some(([start]) => start.test(line));

function fence(lines) {
  lines.shift();
  const code = take(lines, (line) => !line.startsWith("```"));
  lines.shift();
  return `<pre tabindex="0"><code>${escaped(code.join("\n"))}</code></pre>`;
}

function heading(lines, inline) {
  const [, marks, text] = /^(#+) +(.*)$/.exec(lines.shift());
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  return `<h${marks.length} id="${id}">${inline(text)}</h${marks.length}>`;
}

function table(lines, inline) {
  const rows = take(lines, (line) => line.startsWith("|"));
  const cells = (row) =>
    row
      .replace(/^\||\|\s*$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll("\\|", "|")));
  const row = (name) => (line) =>
    `<tr>${cells(line)
      .map((cell) => `<${name}>${cell}</${name}>`)
      .join("")}</tr>`;
  return `<div class="table" tabindex="0"><table><thead>${row("th")(rows[0])}</thead><tbody>${rows.slice(2).map(row("td")).join("\n")}</tbody></table></div>`;
}

function list(lines, inline) {
  const name = lines[0].startsWith("-") ? "ul" : "ol";
  const items = [];
  while (lines.length > 0 && listItem.test(lines[0])) {
    const first = lines.shift().replace(listItem, "");
    items.push([first, ...take(lines, (line) => !startsBlock(line)).map((line) => line.trim())].join(" "));
  }
  return `<${name}>${items.map((item) => `<li>${inline(item)}</li>`).join("\n")}</${name}>`;
}

function paragraph(lines, inline) {
  const [first, ...rest] = [lines.shift(), ...take(lines, (line) => !startsBlock(line))];
  return `<p>${inline([first, ...rest].join("\n"))}</p>`;
}

/** Inline syntax, in order of precedence: code, image, link, bare address, strong, emphasis. */
const spanPattern =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>|\*\*((?:[^`]|`[^`]*`)+?)\*\*|\*(?=\S)((?:[^*`]|`[^`]*`)*[^*`\s]|`[^`]*`)\*/g;

function spans(text, link) {
  let out = "";
  let end = 0;
  for (const found of text.matchAll(spanPattern)) {
    const [whole, code, alt, picture, label, target, address, strong, emphasis] = found;
    out += escaped(text.slice(end, found.index));
    end = found.index + whole.length;
    if (code !== undefined) out += `<code>${escaped(code)}</code>`;
    else if (picture !== undefined)
      out += `<img src="${escaped(link(picture) ?? "")}" alt="${escaped(alt)}">`;
    else if (target !== undefined) out += anchor(link(target), spans(label, link));
    else if (address !== undefined) out += anchor(address, escaped(address));
    else if (strong !== undefined) out += `<strong>${spans(strong, link)}</strong>`;
    else out += `<em>${spans(emphasis, link)}</em>`;
  }
  return out + escaped(text.slice(end));
}

const anchor = (target, label) =>
  target === undefined ? label : `<a href="${escaped(target)}">${label}</a>`;
