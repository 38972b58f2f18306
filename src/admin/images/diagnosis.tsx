// A diagnosis of an image as sections of a page: findings with advice, and the cost of derivatives with the
// facts.

import type { CostRow, Diagnosis as ImageDiagnosis, LatestRow } from "../../doctor/index.ts";
import { bytesText, msText, pixelsText } from "../../server/index.ts";
import { FindingList } from "../finding-list.tsx";

interface DiagnosisProps {
  readonly diagnosis: ImageDiagnosis;
}

/**
 * The findings: those to act on in sight, the good ones behind a click. Requires the style sheet
 * admin/diagnosis.css.
 */
export function Findings({ diagnosis: { findings } }: DiagnosisProps) {
  const good = findings.filter(({ level }) => level === "good");
  const others = findings.filter(({ level }) => level !== "good");
  return (
    <section class="diagnosis" aria-labelledby="doctor">
      <h2 id="doctor">{summaryOf(others.map(({ level }) => level))}</h2>
      {others.length > 0 && <FindingList findings={others} />}
      {good.length > 0 && (
        <details class="fine">
          <summary>{good.length === 1 ? "One thing is good" : `${good.length} things are good`}</summary>
          <FindingList findings={good} />
        </details>
      )}
    </section>
  );
}

function summaryOf(levels: readonly string[]): string {
  if (levels.includes("problem")) return "Something is wrong with this image";
  if (levels.includes("slow")) return "This image is slow";
  return levels.length > 0 ? "This image works, with a note" : "This image works well";
}

/** The cost of derivatives, and all facts. `measured`: derivatives were rendered for it. */
export function Knowledge({
  diagnosis: { costs, latest, sections },
  measured,
}: DiagnosisProps & { readonly measured: boolean }) {
  const shown = sections.filter(({ name }) => name !== "costs" || costs.length === 0);
  return (
    <section class="diagnosis" id="diagnosis" aria-label="Costs and facts">
      {costs.length > 0 && <Costs costs={costs} latest={latest} measured={measured} />}
      <details>
        <summary>All that is known of the file</summary>
        <div class="knowledge">
          {shown.map(({ title, facts }) => (
            <section>
              <h3>{title}</h3>
              <dl>
                {facts.map(({ label, text }) => (
                  <>
                    <dt>{label}</dt>
                    <dd>{text}</dd>
                  </>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </details>
    </section>
  );
}

function Costs({
  costs,
  latest,
  measured,
}: {
  readonly costs: readonly CostRow[];
  readonly latest: readonly LatestRow[];
  readonly measured: boolean;
}) {
  return (
    <div>
      <h2 id="costs">What derivatives cost</h2>
      <section class="scroll" tabindex={0} aria-labelledby="costs">
        <table class="grid stack">
          <thead>
            <tr>
              <th scope="col">Derivative</th>
              <th scope="col" class="number">
                Expected
              </th>
              {measured && (
                <th scope="col" class="number">
                  Measured now
                </th>
              )}
              <th scope="col" class="number">
                Memory
              </th>
              <th scope="col" class="number">
                Decodes
              </th>
            </tr>
          </thead>
          <tbody>
            {costs.map((cost) => (
              <Row cost={cost} measured={measured} />
            ))}
          </tbody>
        </table>
      </section>
      {latest.map(({ request, ms, expectedMs, memory, at }) => (
        <p class="latest">
          Latest for readers: <code class="path">{request}</code> took {msText(ms)}, expected{" "}
          {msText(expectedMs)}, admitted with {bytesText(memory)},{" "}
          <time datetime={at}>{at.slice(0, 19).replace("T", " ")} UTC</time>.
        </p>
      ))}
      <form class="actions" method="get" action="#diagnosis">
        <input type="hidden" name="measure" value="yes" />
        <button type="submit" class="plain">
          {measured ? "Measure again" : "Render a tile now and measure"}
        </button>
        <span class="quiet">
          The last whole tile of each level; times are of one processor. Nothing rendered for this is cached.
        </span>
      </form>
    </div>
  );
}

function Row({ cost, measured }: { readonly cost: CostRow; readonly measured: boolean }) {
  const { what, scale, request, expected, refused, measuredMs } = cost;
  const columns = measured ? 4 : 3;
  return (
    <tr>
      <th scope="row">
        {what === "whole" ? "Whole image" : `Tile at 1/${scale}`}
        <span class="quiet about path">{request}</span>
      </th>
      {expected ? (
        <>
          <td class="number" data-label="Expected">
            {msText(expected.ms)}
          </td>
          {measured && (
            <td class="number" data-label="Measured now">
              {measuredMs === undefined ? "" : msText(measuredMs)}
            </td>
          )}
          <td class="number" data-label="Memory">
            {bytesText(expected.memory)}
          </td>
          <td class="number" data-label="Decodes">
            {pixelsText(Math.round(expected.decoded))}
          </td>
        </>
      ) : (
        <td colspan={columns}>
          <span class="pill warn">refused</span> {refused}
        </td>
      )}
    </tr>
  );
}
