// The documentation as a site of static files: docs/ by Eleventy, with relative addresses only, so that any
// web server can serve the folder at any path, and the service at /static/docs/.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, normalize, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Eleventy from "@11ty/eleventy";
import * as esbuild from "esbuild";
import { version } from "../version.mjs";
import { readContents, readMoved, readSearchWords, titleOf } from "./contents.mjs";
import { movedPageOf, pageOf } from "./layout.mjs";
import { createRenderer } from "./markdown.mjs";
import { sectionsOf } from "./sections.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const docs = join(root, "docs");

/**
 * Writes the site into the folder `target`, which is emptied before. `start` is the address of the service's
 * start page, relative to the site, if the service is to serve it.
 */
export async function buildSite(target, { start } = {}) {
  await rm(target, { recursive: true, force: true });
  const site = await siteOf(target, start);
  site.disableLogger();
  site.bench.get("Configuration").setMinimumThresholdPercent(100); // which warns of it otherwise
  await site.write();
}

/** Serves the site at a port of this machine, and again after each change of a page. */
export async function serveSite(target, port) {
  const site = await siteOf(target);
  await site.watch();
  await site.serve(port);
}

/** Returns the site as a project of Eleventy. */
async function siteOf(target, start) {
  const assets = await writeAssets(target);
  const output = relative(process.cwd(), target);
  const site = new Eleventy(fileOf("docs"), output, {
    quietMode: true,
    configPath: fileOf("scripts/site/eleventy.config.mjs"),
    config: (configuration) => configure(configuration, { target, assets, start }),
  });
  await site.init();
  return site;
}

function configure(configuration, { target, assets, start }) {
  const shown = version(root);
  const renderer = createRenderer((address, page) => siteAddress(address, pathOf(page), files));
  let contents;
  let files;
  let sections;
  configuration.setUseGitIgnore(false);
  configuration.setTemplateFormats(["md"]);
  configuration.addWatchTarget(fileOf("docs/contents.yaml"));
  configuration.addGlobalData(
    "permalink",
    () =>
      ({ page }) =>
        `${page.filePathStem}.html`,
  );
  configuration.addPassthroughCopy({
    [fileOf("docs/pictures")]: "pictures",
    [fileOf("docs/examples")]: "examples",
  });
  configuration.addPassthroughCopy({ [fileOf("docs/reference/*.json")]: "reference" });
  configuration.on("eleventy.before", async () => {
    contents = readContents(docs);
    files = new Set(await readdir(docs, { recursive: true }));
    sections = [];
  });
  configuration.setLibrary("md", {
    render: (text, { page }) => renderer.render(text, { page, rows: hasNamedRows(pathOf(page)) }),
  });
  configuration.addTransform("frame", function (body) {
    const { page } = this;
    const path = pathOf(page);
    const title = titleOf(page.rawInput, path);
    sections.push(...sectionsOf({ path, title, html: body }));
    return pageOf({ path, title, body, contents, assets, version: shown, start });
  });
  configuration.on("eleventy.after", async () => {
    const words = readSearchWords(docs);
    const found = sections.map((section) => ({ ...section, words: words.get(section.address) }));
    await writeFile(join(target, assets.sections), JSON.stringify(found));
    for (const page of readMoved(docs)) {
      const path = join(target, `${page.from}.html`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, movedPageOf(page));
    }
  });
}

/** Returns the path of a file of the repository as Eleventy wants it: relative to the working folder. */
const fileOf = (name) => relative(process.cwd(), join(root, name));

/** True if the tables of a page are lists of settings, codes, metrics and the like. */
const hasNamedRows = (path) => path.startsWith("reference/") && path !== "reference/terms";

/** Returns the path of a page below the site, without extension: `start/install`. */
const pathOf = ({ filePathStem }) => filePathStem.slice(1);

/** Returns the address of a link's target on the site; undefined for files outside of docs/. */
function siteAddress(target, path, files) {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [, file, anchor] = /^([^#]*)(.*)$/.exec(target);
  if (!files.has(normalize(join(dirname(path), file)))) return undefined;
  return file.replace(/\.md$/, ".html") + anchor;
}

/** Writes what all pages share, named by content, and returns the addresses below the site. */
async function writeAssets(target) {
  const { outputFiles } = await esbuild.build({
    entryPoints: ["site.css", "theme.js", "page.js"].map((name) => join(root, "scripts/site/browser", name)),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    outdir: target,
    write: false,
    absWorkingDir: root,
  });
  const folder = join(target, "assets");
  await mkdir(folder, { recursive: true });
  const write = async (name, content) => {
    const extension = extname(name);
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 8);
    const address = `assets/${basename(name, extension)}-${digest}${extension}`;
    await writeFile(join(target, address), content);
    return address;
  };
  const [style, theme, page] = await Promise.all(
    [".css", "theme.js", "page.js"].map((end) => {
      const { path, contents } = outputFiles.find((file) => file.path.endsWith(end));
      return write(basename(path), contents);
    }),
  );
  const icon = await write("icon.svg", await readFile(join(root, "static/page/icon.svg")));
  return { style, theme, page, icon, sections: "assets/sections.json" };
}
