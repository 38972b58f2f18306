// The pages of docs/ for readers of a running service: one HTML file each, without a frame, which the service
// puts around it.

import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { htmlOf } from "./markdown.mjs";

/**
 * Writes the pages below `docs` into `target`, with an index of their titles, and copies the files they refer
 * to.
 */
export async function writeDocsPages(docs, target) {
  await mkdir(target, { recursive: true });
  const entries = (await readdir(docs, { recursive: true })).sort();
  const titles = [];
  for (const name of entries) {
    const link = (address) => {
      if (/^(https?:|#)/.test(address)) return address;
      const [, file, anchor] = /^([^#]*)(.*)$/.exec(address);
      // Other files of the repository are not available on a running service.
      if (!entries.includes(normalize(join(dirname(name), file)))) return undefined;
      return file.replace(/\.md$/, ".html") + anchor;
    };
    if (!name.endsWith(".md")) {
      await cp(join(docs, name), join(target, name), { recursive: true });
      continue;
    }
    const text = await readFile(join(docs, name), "utf8");
    const page = name.replace(/\.md$/, ".html");
    titles.push(`- [${/^# (.*)$/m.exec(text)?.[1] ?? name}](${page})`);
    await mkdir(dirname(join(target, page)), { recursive: true });
    await writeFile(join(target, page), htmlOf(text, link));
  }
  await writeFile(join(target, "index.html"), htmlOf(`# Documentation\n\n${titles.join("\n")}\n`));
}
