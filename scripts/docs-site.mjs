// Builds the documentation as a site for any web server, at any path.
//
//   npm run docs:site [-- FOLDER]        default: site/
//   npm run docs:site -- --serve         serves it at http://localhost:8081/, and builds after each change

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSite, serveSite } from "./site/site.mjs";

const { values, positionals } = parseArgs({
  options: { serve: { type: "boolean" } },
  allowPositionals: true,
});
const target = resolve(positionals[0] ?? "site");
if (values.serve) await serveSite(target, 8081);
else {
  await buildSite(target);
  console.log(
    `The documentation is in ${target}. Any web server can serve it; index.html is the first page.`,
  );
}
