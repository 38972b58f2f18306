// The page /admin/config: the editable keys of the configuration file as a form, and the effective
// configuration.

import { type Finding, findingLine } from "../../base/index.ts";
import {
  type Config,
  type ConfigFileView,
  configWarnings,
  type Preview,
  Refusal,
  type RequestContext,
  readForm,
  type Saved,
  type Service,
} from "../../server/index.ts";
import type { Admin, AdminPage, Outcome } from "../admin.ts";
import { fieldsOfConfig } from "../editing/edit.ts";
import { editableFields } from "../editing/editable.ts";
import { adminPage } from "../frame.tsx";
import { mayChange } from "../posts.ts";
import { ConfigurationBody } from "./body.tsx";
import { type Attempt, beforeField, digestField, readBefore, stepField } from "./form.tsx";

/** Size limit of a form in bytes; the longest that a browser sends from this page has about 1,500. */
const maxBytes = 16 * 1024;

/** Routes of /admin/config. */
export const configurationPages: AdminPage = (admin) => [
  {
    path: "/admin/config",
    get: (c) => page(c, admin),
    post: (c) => save(c, admin),
  },
];

async function page(c: RequestContext, admin: Admin, attempt?: Attempt, status = 200): Promise<Response> {
  const { service } = admin;
  const read = (await service.configFile?.view()) ?? withoutFile(service);
  const view = mayChange(c) ? read : { ...read, obstacle: "you may only look" };
  return adminPage(
    c,
    admin,
    {
      title: "Configuration",
      section: "configuration",
      styles: ["admin/browse.css", "admin/configuration.css"],
      scripts: ["admin/copy.js", "admin/configuration.js"],
      body: <ConfigurationBody c={c} service={service} view={view} attempt={attempt} />,
    },
    { status },
  );
}

/** Without a file the form shows the values in effect. */
function withoutFile({ platform: { name, env }, config }: Service): ConfigFileView {
  return {
    fields: fieldsOfConfig(config(), env),
    problems: [],
    config: config(),
    obstacle:
      name === "workerd"
        ? "this runtime cannot replace files; change the configuration where it is deployed"
        : "the service was started without -config FILE or SERVICE_CONFIG, so there is no file to save to",
  };
}

/**
 * Saves the form and redirects to the page; shows the form again, with the typed values, if nothing was
 * saved.
 */
async function save(c: RequestContext, admin: Admin): Promise<Response> {
  const { service, outcomes } = admin;
  const values = fieldsOf(await readForm(c, maxBytes), [
    ...editableFields().map(({ path }) => path),
    ...ownFields,
  ]);
  const [digest, step, made] = ownFields.map((name) => values.get(name));
  for (const name of ownFields) values.delete(name);
  const before = readBefore(made);
  if (!service.configFile) return page(c, admin, { values, before, result: nowhere }, 409);
  if (step === "review") {
    c.set("act", { action: "review_settings" });
    return respondReview(c, admin, { values, before }, await service.configFile.preview(values, digest));
  }
  // Nothing is awaited here, so that concurrent saves keep their order.
  const fields = fieldsOfConfig(service.config(), service.platform.env);
  let doubts: readonly Finding[] = [];
  const take = (config: Config) => {
    doubts = configWarnings(config, service.platform.name, service.platform.env);
    return service.reload(config);
  };
  const result = await service.configFile.save(values, digest, take);
  report(admin, result);
  if (result.kind === "saved") {
    const old = new Map(fields.map(({ field, value }) => [field.path, value]));
    const edits = result.changed.map((path) => `${path}: ${old.get(path)} → ${values.get(path)?.trim()}`);
    c.set("act", { target: edits.join("; ") });
  }
  switch (result.kind) {
    case "unchanged":
      return outcomes.redirect(c, "/admin/config", nothingChanged);
    case "saved":
      return outcomes.redirect(c, "/admin/config", outcomeOf(result, doubts));
    default:
      return respondRefusal(c, admin, { values, before }, result);
  }
}

type Form = Omit<Attempt, "result">;

/**
 * Shows the form of an attempt again. If the file has changed meanwhile, it has the typed values only in the
 * fields that were changed in it, so that saving it again reverts nothing that somebody else has changed.
 */
function respondRefusal(
  c: RequestContext,
  admin: Admin,
  form: Form,
  result: Exclude<Attempt["result"], { kind: "changed" }>,
): Promise<Response> {
  const { values, before } = form;
  const changed = [...values].filter(([path, value]) => value.trim() !== before.get(path));
  const shown = result.kind === "stale" ? new Map(changed) : values;
  return page(c, admin, { values: shown, before, result }, result.kind === "failed" ? 409 : 422);
}

/** Fields that are not settings. */
const ownFields = [digestField, stepField, beforeField] as const;

/** Shows what a form would change, or why it cannot be saved. */
function respondReview(
  c: RequestContext,
  admin: Admin,
  form: Form,
  result: Preview,
): Response | Promise<Response> {
  switch (result.kind) {
    case "unchanged":
      return admin.outcomes.redirect(c, "/admin/config", nothingChanged);
    case "changed":
      return page(c, admin, { ...form, result });
    default:
      return respondRefusal(c, admin, form, result);
  }
}

const nothingChanged: Outcome = { state: "done", text: "Nothing was changed, and nothing was written." };

const nowhere = { kind: "failed", reason: "there is no file to save to" } as const;

/**
 * Returns the fields of a form, each at most once and with no other names. Throws a Refusal with 400
 * otherwise.
 */
function fieldsOf(form: URLSearchParams, names: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    const wrong = !names.includes(name) ? "one that this form does not have" : "one twice";
    if (!names.includes(name) || fields.has(name))
      throw new Refusal({
        status: 400,
        code: "invalid_form",
        detail: `Expected the fields of the form of /admin/config, each once; received ${wrong}. Open the page and send its form.`,
      });
    fields.set(name, value);
  }
  return fields;
}

function report({ service: { log } }: Admin, result: Saved): void {
  if (result.kind === "saved") {
    const { changed, waits, notApplied } = result;
    log.info("configuration saved on the admin pages", { changed, needRestart: waits });
    if (notApplied !== undefined)
      log.error("the saved configuration is not in effect", { problem: notApplied });
  }
  if (result.kind === "failed")
    log.error("configuration not saved", { problem: result.reason, cause: result.cause });
}

/** Describes a save: which keys have changed, which of them wait for a restart, and which are doubtful. */
function outcomeOf(
  { changed, waits, notApplied }: Extract<Saved, { kind: "saved" }>,
  doubts: readonly Finding[],
): Outcome {
  const waiting = new Set(waits);
  const now = changed.filter((path) => !waiting.has(path));
  const later = changed.filter((path) => waiting.has(path));
  const others = waits.filter((path) => !changed.includes(path));
  const details = [
    ...(notApplied === undefined && now.length > 0 ? [`In force now: ${now.join(", ")}`] : []),
    ...(later.length > 0 ? [`From the next start: ${later.join(", ")}`] : []),
    ...(others.length > 0
      ? [`Saved before, and still waiting for the next start: ${others.join(", ")}`]
      : []),
    ...doubts.filter(({ where = "" }) => changed.includes(where)).map(findingLine),
  ];
  const text =
    notApplied === undefined
      ? `Saved: ${changed.join(", ")}.`
      : "Saved, but not in effect: the file could not be read again. The log says why.";
  return { state: notApplied === undefined ? "done" : "failed", text, details };
}
