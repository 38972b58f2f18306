// A diagnosis of an image as a section of a page: findings with advice, the cost of derivatives, and the
// facts.

import type { CostRow, Diagnosis as ImageDiagnosis, LatestRow } from "../../../images/diagnosis/diagnosis.ts";
import { bytesText, msText, pixelsText } from "../../../images/diagnosis/words.ts";
import { FindingList } from "../finding-list.tsx";

/**
 * The section; it requires the style sheet admin/diagnosis.css. `measured`: derivatives were rendered for it.
 */
export function Diagnosis({
  diagnosis: { findings, costs, latest, sections },
  measured,
}: {
  readonly diagnosis: ImageDiagnosis;
  readonly measured: boolean;
}) {
  const shown = sections.filter(({ name }) => name !== "costs" || costs.length === 0);
  return (
    <section class="diagnosis" id="diagnosis" aria-labelledby="doctor">
      <h2 id="doctor">What the doctor says</h2>
      <FindingList findings={findings} />
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
      <h3 id="costs">What pictures cost</h3>
      <section class="scroll" tabindex={0} aria-labelledby="costs">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Picture</th>
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
          Of each level the last whole tile; times are of one processor. Nothing that is rendered for this is
          kept.
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
          <td class="number">{msText(expected.ms)}</td>
          {measured && <td class="number">{measuredMs === undefined ? "" : msText(measuredMs)}</td>}
          <td class="number">{bytesText(expected.memory)}</td>
          <td class="number">{pixelsText(Math.round(expected.decoded))}</td>
        </>
      ) : (
        <td colspan={columns}>
          <span class="pill warn">refused</span> {refused}
        </td>
      )}
    </tr>
  );
}
