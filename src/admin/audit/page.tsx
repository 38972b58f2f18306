// /admin/audit: who logged in, did something or was refused, since this process started.

import type { AdminPage } from "../admin.ts";
import { timeOf } from "../decisions.tsx";
import { adminPage } from "../frame.tsx";
import type { Audit, AuditRecord } from "./audit.ts";

/** Routes of /admin/audit. */
export const auditPages: AdminPage = (admin) => [
  {
    path: "/admin/audit",
    get: (c) =>
      adminPage(c, admin, {
        title: "Audit",
        section: "audit",
        body: <Records audit={admin.audit} startedAt={admin.service.startedAt} />,
      }),
  },
];

function Records({ audit, startedAt }: { readonly audit: Audit; readonly startedAt: number }) {
  const left = audit.leftOut();
  return (
    <>
      <p class="quiet" id="audit-since">
        Of this process, since {timeOf(startedAt)}, the newest first.{" "}
        {left === 0 ? "Nothing is left out." : `${left.toLocaleString("en")} older records are left out.`} The
        log has all of them, in lines with the message <code>audit</code>.
      </p>
      <section class="scroll" tabindex={0} aria-label="Records">
        <table class="grid stack">
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {audit.latest().map((record) => (
              <tr>
                {columns.map(({ name, read }) => (
                  <td data-label={name}>{read(record) ?? "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

const columns: readonly {
  readonly name: string;
  readonly read: (record: AuditRecord) => string | undefined;
}[] = [
  { name: "Time (UTC)", read: ({ at }) => timeOf(at) },
  { name: "Event", read: ({ event }) => event },
  { name: "Operator", read: ({ operator }) => operator },
  { name: "Role", read: ({ role }) => role },
  { name: "Network", read: ({ network }) => network },
  { name: "Action", read: ({ action }) => action },
  { name: "Target", read: ({ target }) => target },
  { name: "Result", read: ({ result }) => result },
  { name: "Request", read: ({ id }) => id },
];
