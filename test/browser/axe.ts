// What axe-core finds on a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, ImpactValue } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Violation {
  readonly id: string;
  readonly impact: ImpactValue | undefined;
  /** The elements, as HTML. */
  readonly elements: readonly string[];
}

/**
 * Returns what axe-core finds. Policies of pages would refuse its script, which the browser's own protocol
 * runs. Of rules without a violation it describes one element, since nothing reads more.
 */
export async function violations(page: Page): Promise<Violation[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const found = await page.evaluate<AxeResults["violations"]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return found.map(({ id, impact, nodes }) => ({ id, impact, elements: nodes.map(({ html }) => html) }));
}

/** True for what keeps readers from using a page. */
export const isSerious = ({ impact }: Violation): boolean => impact === "serious" || impact === "critical";
