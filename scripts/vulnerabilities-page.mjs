// docs/contributing/vulnerabilities.md, from the table of vulnerabilities.

import { sourceOf } from "./vulnerabilities.mjs";

/** States and justifications as words of the page. */
const words = {
  exploitable: "affected",
  in_triage: "under investigation",
  not_affected: "not affected",
  resolved: "fixed",
  code_not_present: "the code is not in the module",
  code_not_reachable: "the code is never run",
  protected_at_runtime: "bounded at run time",
  protected_by_mitigating_control: "refused before",
};

export function vulnerabilitiesPage(rows) {
  const table = rows.map(({ ids, part, state, justification, detail }) => {
    const links = ids.map((id) => `[${id}](${sourceOf(id).url})`).join(", ");
    const status = [state, justification].filter(Boolean).map((word) => words[word]);
    return `| ${part.join(" ")} | ${links} | ${status.join(": ")} | ${detail} |`;
  });
  return `# Known vulnerabilities

Generated from the table of vulnerabilities (\`scripts/vulnerabilities.mjs\`) by \`npm run docs\`.

The published vulnerabilities of the software that is compiled into the service's WebAssembly modules, and whether the service has them. The bill of
materials of each build, \`dist/sbom.cdx.json\`, says the same to scanners (CycloneDX, \`vulnerabilities\`).

| Part | Vulnerability | Status | Why |
|---|---|---|---|
${table.join("\n")}
`;
}
