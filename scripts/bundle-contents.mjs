// The third-party contents of dist/: the packages of the bundles, the viewers, and the WebAssembly modules,
// as a text of licences and as a bill of materials (CycloneDX 1.5, JSON).

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageTexts, upstream } from "./upstream.mjs";
import { sourceOf, vulnerabilities } from "./vulnerabilities.mjs";

/**
 * The packages that files come from, sorted by name: `{ name, version, license, home, directory }`. `files`
 * are paths relative to the root, as esbuild's metafiles have them; those outside node_modules/ are skipped.
 * `more` are packages that are in other folders.
 */
export async function packagesOf(root, files, more = []) {
  const found = new Set();
  for (const file of files) {
    const directory = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    if (directory) found.add(directory);
  }
  const all = await Promise.all([...found].map((directory) => readPackage(root, directory)));
  const sorted = [...all, ...more].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  // Deno links node_modules/NAME to a folder elsewhere, so one package has two paths.
  return sorted.filter(({ name, version }, i) => {
    const before = sorted[i - 1];
    return before?.name !== name || before.version !== version;
  });
}

async function readPackage(root, directory) {
  const { name, version, license, repository, homepage } = JSON.parse(
    await readFile(join(root, directory, "package.json"), "utf8"),
  );
  const home = typeof repository === "string" ? repository : (repository?.url ?? homepage ?? "");
  return { name, version, license, home, directory };
}

/** The names of the files in a folder that state its licence, sorted. */
export async function licenceFiles(directory) {
  return (await readdir(directory)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
}

/** The rows of the table of upstream software that packages contain. */
export function upstreamOf(packages) {
  const names = packages.map(({ name }) => name);
  return upstream.filter((row) => row.packages.some((name) => names.includes(name)));
}

/**
 * Returns the licences of packages, and of what was compiled into their modules, as one text. `notices` are
 * additional texts by the name of a package. Throws if a package has no text, neither in it nor in
 * `packageTexts`.
 */
export async function licenceText(root, packages, notices = {}) {
  const read = async (path) => (await readFile(join(root, path), "utf8")).trim();
  const part = async (title, home, paths, more = []) => {
    const texts = [...(await Promise.all(paths.map(read))), ...more];
    if (texts.length === 0)
      throw new Error(`${title} has no licence text: name one in packageTexts of scripts/upstream.mjs.`);
    return `${title}\n${home}\n\n${texts.join("\n\n")}\n`;
  };
  const ofPackages = packages.map(async ({ name, version, license, home, directory }) => {
    const files = (await licenceFiles(join(root, directory))).map((file) => join(directory, file));
    const paths = files.length === 0 && packageTexts[name] ? [packageTexts[name]] : files;
    return part(`${name} ${version} (${license})`, home, paths, notices[name]);
  });
  const contained = (names) => names.filter((name) => packages.some((each) => each.name === name)).join(", ");
  const ofUpstream = upstreamOf(packages).map(({ name, version, license, repository, texts, packages }) =>
    part(
      `${[name, version].filter(Boolean).join(" ")} (${license}), compiled into ${contained(packages)}`,
      `https://github.com/${repository}`,
      texts,
    ),
  );
  const parts = await Promise.all([...ofPackages, ...ofUpstream]);
  return `${ijgNotice}\n\n${[...parts].join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The sentence that the licence of the Independent JPEG Group requires of programs. */
const ijgNotice = "This software is based in part on the work of the Independent JPEG Group.";

/**
 * Returns the bill of materials of a build. `version` is that of the service; `modules` are the WebAssembly
 * modules, `{ file, bytes, package? }`, listed inside their package, or next to the packages if they are our
 * own. The sources that the modules were compiled from are listed next to the packages, which depend on them.
 * `prebuilt` names the packages that arrive bundled, so that the list of their contents is incomplete. The
 * same build makes the same bytes: there is no time and no random number in it.
 */
export function bundleBom({ version, packages, modules, prebuilt = [] }) {
  const fileOf = ({ file, bytes }) => ({
    type: "file",
    "bom-ref": file,
    name: file,
    hashes: [{ alg: "SHA-256", content: createHash("sha256").update(bytes).digest("hex") }],
  });
  const components = packages.map((each) => {
    const files = modules.filter((module) => module.package === each.name).map(fileOf);
    return { ...packageComponent(each), ...(files.length > 0 && { components: files }) };
  });
  const own = modules.filter((module) => !module.package).map(fileOf);
  const dependencies = packages.flatMap((each) => {
    const dependsOn = upstreamOf([each]).map(upstreamRef);
    return dependsOn.length > 0 ? [{ ref: packageUrl(each), dependsOn }] : [];
  });
  const incomplete = packages.filter(({ name }) => prebuilt.includes(name)).map(packageUrl);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        ...packageComponent({ name: "smalti", version, license: "MIT" }),
        type: "application",
      },
    },
    components: [...components, ...upstreamOf(packages).map(upstreamComponent), ...own],
    dependencies,
    vulnerabilities: vulnerabilitiesOf(packages),
    ...(incomplete.length > 0 && { compositions: [{ aggregate: "incomplete", assemblies: incomplete }] }),
  };
}

/** A package as a component of a bill of materials. */
export function packageComponent({ name, version, license }) {
  const purl = packageUrl({ name, version });
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: [licenceChoice(license)] };
}

/** The purl of a package: https://github.com/package-url/purl-spec, type npm. */
function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`;
}

/** The vulnerabilities of what packages contain, as CycloneDX has them: one for each identifier and part. */
function vulnerabilitiesOf(packages) {
  const refs = upstreamOf(packages).map(upstreamRef);
  return vulnerabilities.flatMap(({ ids, part: [name, version], ...analysis }) => {
    const ref = upstreamRef({ name, version });
    if (!refs.includes(ref)) return [];
    return ids.map((id) => ({
      "bom-ref": `${ref}/${id}`,
      id,
      source: sourceOf(id),
      analysis,
      affects: [{ ref }],
    }));
  });
}

function upstreamComponent(row) {
  const { name, version, license, repository, tag, commit, cpe, release = version } = row;
  return {
    type: "library",
    "bom-ref": upstreamRef(row),
    name,
    ...(version && { version }),
    ...(cpe && release && { cpe: `cpe:2.3:a:${cpe}:${release}:*:*:*:*:*:*:*` }),
    purl: `pkg:github/${repository.toLowerCase()}${tag || commit ? `@${tag ?? commit}` : ""}`,
    licenses: [licenceChoice(license)],
    ...(commit && {
      pedigree: { commits: [{ uid: commit, url: `https://github.com/${repository}/commit/${commit}` }] },
    }),
  };
}

const upstreamRef = ({ name, version }) => ["upstream", name, version].filter(Boolean).join("/");

/** Packages name one SPDX licence, an expression such as `MIT OR Apache-2.0`, or something else. */
function licenceChoice(license = "unknown") {
  if (/ (OR|AND|WITH) /.test(license)) return { expression: license };
  return {
    license: /^[A-Za-z0-9.+-]+$/.test(license) && license !== "unknown" ? { id: license } : { name: license },
  };
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
