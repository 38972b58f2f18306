// The tables of the status page: requests, render stages, slow images, caches, sources, other parts, errors.

import { checkedParts } from "../../base/index.ts";
import { damagedShown, type Frame, maxRecentErrors, maxSlowest } from "../../server/index.ts";
import { Columns, type LiveElements, liveAttributes, NumberColumns, Table } from "./live.tsx";

/** Props of the parts of the page. */
export interface StatusProps {
  readonly frame: Frame;
  readonly live: LiveElements;
}

const indexes = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Columns of the table of requests: name of the value in the frame, heading, format. */
const requestColumns = [
  ["requests", "Requests", "count"],
  ["errors", "Failures (5xx)", "count"],
  ["clientErrors", "Client errors", "count"],
  ["bytes", "Sent", "bytes"],
  ["p50Ms", "Median", "ms"],
  ["p95Ms", "p95", "ms"],
  ["p99Ms", "p99", "ms"],
] as const;

export function RequestTable({ frame, live: { NumberCell } }: StatusProps) {
  const head = (
    <>
      <Columns names={["Route"]} />
      <NumberColumns names={requestColumns.map(([, heading]) => heading)} />
    </>
  );
  return (
    <Table label="routes" head={head}>
      {frame.routes.map(({ route }, i) => (
        <tr>
          <th scope="row">{route}</th>
          {requestColumns.map(([name, heading, form]) => (
            <NumberCell of={`routes.${i}.${name}`} form={form} label={heading} />
          ))}
        </tr>
      ))}
    </Table>
  );
}

export function StageTable({ frame, live: { NumberCell, Bar } }: StatusProps) {
  const head = (
    <>
      <Columns names={["Stage"]} />
      <NumberColumns names={["Median", "p95"]} />
      <Columns names={["Median within p95"]} />
    </>
  );
  return (
    <Table label="stages" head={head}>
      {frame.stages.map(({ stage }, i) => (
        <tr>
          <th scope="row">{stage}</th>
          <NumberCell of={`stages.${i}.medianMs`} form="ms" label="Median" />
          <NumberCell of={`stages.${i}.p95Ms`} form="ms" label="p95" />
          <td class="drawn">
            <svg class="bars" aria-hidden="true">
              <Bar of={`stages.${i}.p95Ms`} kind="p95" />
              <Bar of={`stages.${i}.medianMs`} kind="median" />
            </svg>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** `page`: address of an image's page, without its identifier. */
export function SlowTable({ frame, live, page }: StatusProps & { readonly page: string }) {
  const { Figure, Ago, onlyWith, text } = live;
  const head = (
    <>
      <Columns names={["Image"]} />
      <NumberColumns names={["Took", "When"]} />
    </>
  );
  return (
    <Table label="slowest" head={head}>
      {indexes(maxSlowest).map((i) => {
        const name = { of: `slowest.${i}.identifier`, form: "text" } as const;
        return (
          <tr {...onlyWith(`slowest.${i}`)}>
            <td class="image">
              <a
                class="path"
                data-link={name.of}
                data-base={page}
                href={page + pathOf(frame.slowest[i]?.identifier ?? "")}
                {...liveAttributes(name)}
              >
                {text(name)}
              </a>
              <Figure class="path quiet" of={`slowest.${i}.request`} form="text" />
            </td>
            <td class="number" data-label="Took">
              <Figure of={`slowest.${i}.ms`} form="ms" />
              <span class="quiet below">
                <Figure of={`slowest.${i}.stage`} form="text" />{" "}
                <Figure of={`slowest.${i}.stageMs`} form="ms" />
              </span>
            </td>
            <td class="number" data-label="When">
              <Ago of={`slowest.${i}.at`} />
            </td>
          </tr>
        );
      })}
      <tr data-empty="slowest" hidden={frame.slowest.length > 0}>
        <td colspan={3} class="quiet">
          Nothing was rendered in the last hour.
        </td>
      </tr>
    </Table>
  );
}

const pathOf = (identifier: string) => identifier.split("/").map(encodeURIComponent).join("/");

/** `page`: address of an image's page, without its identifier. */
export function DamagedTable({ frame, live, page }: StatusProps & { readonly page: string }) {
  const { NumberCell, Ago, onlyWith, text } = live;
  const head = (
    <>
      <Columns names={["Image"]} />
      <NumberColumns names={["Incomplete derivatives", "Latest"]} />
    </>
  );
  return (
    <Table label="damaged" head={head}>
      {indexes(damagedShown).map((i) => {
        const name = { of: `damaged.${i}.identifier`, form: "text" } as const;
        const href = page + pathOf(frame.damaged[i]?.identifier ?? "");
        return (
          <tr {...onlyWith(`damaged.${i}`)}>
            <td class="image">
              <a class="path" data-link={name.of} data-base={page} href={href} {...liveAttributes(name)}>
                {text(name)}
              </a>
            </td>
            <NumberCell of={`damaged.${i}.derivatives`} form="count" label="Incomplete derivatives" />
            <td class="number" data-label="Latest">
              <Ago of={`damaged.${i}.lastAt`} />
            </td>
          </tr>
        );
      })}
      <tr data-empty="damaged" hidden={frame.damaged.length > 0}>
        <td colspan={3} class="quiet">
          No derivative lacked a part.
        </td>
      </tr>
    </Table>
  );
}

/** `label`: id of its heading. */
export function ErrorTable({
  frame,
  live: { Figure, NumberCell, Ago, onlyWith },
  of,
  label,
}: StatusProps & { readonly of: "recentErrors" | "recentClientErrors"; readonly label: string }) {
  const head = (
    <>
      <Columns names={["When", "Route"]} />
      <NumberColumns names={["Status"]} />
    </>
  );
  return (
    <Table label={label} tall few head={head}>
      {indexes(maxRecentErrors).map((i) => (
        <tr {...onlyWith(`${of}.${i}`)}>
          <td>
            <Ago of={`${of}.${i}.at`} />
          </td>
          <td>
            <Figure of={`${of}.${i}.route`} form="text" />
          </td>
          <NumberCell of={`${of}.${i}.status`} form="text" />
        </tr>
      ))}
      <tr data-empty={of} hidden={frame[of].length > 0}>
        <td colspan={3} class="quiet">
          None since the start.
        </td>
      </tr>
    </Table>
  );
}

export function CacheTable({ frame, live: { Figure, NumberCell } }: StatusProps) {
  const head = (
    <>
      <Columns names={["Cache", "Backend"]} />
      <NumberColumns names={["Entries", "Size", "Hit rate"]} />
    </>
  );
  return (
    <Table label="caches" head={head}>
      {frame.caches.map(({ name, backend }, i) => (
        <tr>
          <th scope="row">{name}</th>
          <td class="state">
            {backend === "none" ? "off" : backend}{" "}
            <Figure class="warn" of={`caches.${i}.resting`} form="resting" />
          </td>
          <NumberCell of={`caches.${i}.entries`} form="count" label="Entries" />
          <NumberCell of={`caches.${i}.bytes`} form="bytes" label="Size" />
          <NumberCell of={`caches.${i}.hitRate`} form="percent" label="Hit rate" />
        </tr>
      ))}
    </Table>
  );
}

/** Number of checks shown for a source, the newest at the right. */
const checksShown = 30;

export function SourceTable({ frame, live: { Figure, NumberCell, Ago, Health, onlyWith } }: StatusProps) {
  const head = (
    <>
      <Columns names={["Source", "State", "Latest checks"]} />
      <NumberColumns names={["Checked", "Opened", "Not found", "Errors"]} />
      <Columns names={["Last error"]} />
    </>
  );
  return (
    <Table label="sources" head={head}>
      {(frame.sources ?? []).map(({ name, backend, healthy }, i) => (
        <tr>
          <th scope="row">
            {name} <span class="quiet">{backend}</span>
          </th>
          <td class="state">
            <Health of={`sources.${i}.healthy`} />{" "}
            <Figure class="warn" of={`sources.${i}.resting`} form="resting" />
          </td>
          <td class="drawn">
            <svg
              class="strip"
              viewBox={`0 0 ${4 * checksShown} 12`}
              aria-hidden="true"
              data-strip={`sources.${i}`}
            >
              {indexes(checksShown).map((n) => (
                <rect
                  x={4 * n}
                  width="3"
                  height="12"
                  data-state={n === checksShown - 1 ? String(healthy) : ""}
                />
              ))}
            </svg>
          </td>
          <td class="number" data-label="Checked">
            <Ago of={`sources.${i}.checkedAt`} />
          </td>
          <NumberCell of={`sources.${i}.opens`} form="count" label="Opened" />
          <NumberCell of={`sources.${i}.notFound`} form="count" label="Not found" />
          <NumberCell of={`sources.${i}.errors`} form="count" label="Errors" />
          <td class="message" data-label="Last error">
            <Figure of={`sources.${i}.lastError`} form="text" />{" "}
            <span class="quiet" {...onlyWith(`sources.${i}.lastErrorAt`)}>
              <Ago of={`sources.${i}.lastErrorAt`} />
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function PartTable({ frame, live: { Figure, Health } }: StatusProps) {
  return (
    <Table label="parts" head={<Columns names={["Part", "State", "Error"]} />}>
      {(frame.parts ?? []).map(({ part, name }, i) => (
        <tr>
          <th scope="row">
            {name} <span class="quiet">{checkedParts[part]}</span>
          </th>
          <td>
            <Health of={`parts.${i}.healthy`} />
          </td>
          <td class="message" data-label="Error">
            <Figure of={`parts.${i}.error`} form="text" />
          </td>
        </tr>
      ))}
    </Table>
  );
}
