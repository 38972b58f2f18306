// The frame of the plain pages that people see: calm, light and dark, readable at 400 px.

const style = `
:root { color-scheme: light dark; --ink: #1d2430; --quiet: #5b6472; --paper: #fbfaf7; --line: #d9d5cc; --link: #0b5c8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --quiet: #a2a8b3; --paper: #15181d; --line: #343a44; --link: #7cc0ea; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
a { color: var(--link); }
a:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
`;

/** A whole HTML document around a body that is already safe HTML; `head` likewise. */
export function page(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
${head}</head>
<body>
${body}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text made safe for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
