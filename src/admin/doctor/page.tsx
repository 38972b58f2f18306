// /admin/doctor: one field for an identifier, an address or the logins of readers, and the public URL that
// this service uses and why.

import { ServiceError } from "../../base/index.ts";
import { type Diagnosis, diagnose } from "../../doctor/index.ts";
import { imageAddress, mainPrefix } from "../../iiif/index.ts";
import { explainBaseUrl, type RequestContext, readForm, type UrlExplanation } from "../../server/index.ts";
import { imagePath } from "../addresses.ts";
import { type Admin, type AdminPage, href } from "../admin.ts";
import { FindingList } from "../finding-list.tsx";
import { adminPage } from "../frame.tsx";
import { Findings } from "../images/diagnosis.tsx";
import { refuseLookers } from "../posts.ts";
import { createLoginDoctor, type LoginDoctor, type LoginReport } from "./login-doctor.ts";
import { LoginFindings } from "./login-report.tsx";
import { questionOf } from "./question.ts";
import { type AddressComparison, compareAddresses } from "./seen-address.ts";

const path = "/admin/doctor";
/** Maximum bytes of the form. */
const maxForm = 16 * 1024;
/** Maximum characters of a question. */
const maxLength = 2048;
/** Longest wait for the diagnosis of an image, in milliseconds. */
const diagnosisMs = 5000;

/** Routes of /admin/doctor. */
export const doctorPages: AdminPage = (admin) => {
  const doctor = createLoginDoctor(admin.service);
  const ask = (c: RequestContext, text: string | null | undefined, mayLogIn: boolean) =>
    respond(c, admin, doctor, { text: (text ?? "").slice(0, maxLength).trim(), mayLogIn });
  return [
    {
      path,
      get: (c) => ask(c, new URLSearchParams(c.get("target").query).get("q"), false),
      post: async (c) => ask(c, (await readForm(c, maxForm)).get("q"), true),
    },
  ];
};

interface Asked {
  readonly text: string;
  /** False for a link, which must not begin sessions. */
  readonly mayLogIn: boolean;
}

/** What the doctor found out. */
interface Reply {
  readonly compared?: AddressComparison;
  readonly image?: { readonly identifier: string; readonly diagnosis: Diagnosis };
  readonly logins?: Extract<LoginReport, { findings: unknown }>;
  /** Why the question cannot be answered. */
  readonly refused?: string;
}

async function reply(
  c: RequestContext,
  { service }: Admin,
  doctor: LoginDoctor,
  { text, mayLogIn }: Asked,
): Promise<Reply> {
  if (text === "") return {};
  const base = c.get("base");
  try {
    const { seen, image, logins } = questionOf(text, base, service.config().aliases);
    if (logins) {
      if (!mayLogIn) return {};
      refuseLookers(c);
      const report = await doctor.ask(logins);
      return "refused" in report ? { refused: report.refused } : { logins: report };
    }
    const diagnosis =
      image === undefined
        ? undefined
        : await diagnose(service.images, image, {
            measures: false,
            limitMs: diagnosisMs,
            signal: c.req.raw.signal,
          });
    return {
      ...(seen !== undefined && { compared: compareAddresses(`${seen}${path}`, base) }),
      ...(image !== undefined && diagnosis && { image: { identifier: image, diagnosis } }),
    };
  } catch (error) {
    if (error instanceof ServiceError && (error.kind === "bad-request" || error.kind === "not-found"))
      return { refused: error.message };
    throw error;
  }
}

async function respond(
  c: RequestContext,
  admin: Admin,
  doctor: LoginDoctor,
  asked: Asked,
): Promise<Response> {
  const { service } = admin;
  const base = c.get("base");
  const { compared, image, logins, refused } = await reply(c, admin, doctor, asked);
  const explanation = explainBaseUrl(c.req.raw, {
    base,
    peer: service.platform.clientAddress(c.req.raw),
    trust: { proxies: service.proxies, baseUrl: service.config().base_url.replace(/\/+$/, "") },
    hasLogins: service.auth !== undefined,
  });
  const body = (
    <>
      <Ask c={c} doctor={doctor} text={asked.text} refused={refused} />
      {compared && <Compared {...compared} />}
      {image && <ImageFindings c={c} {...image} />}
      {logins && <LoginFindings {...logins} />}
      <PublicUrl base={base} explanation={explanation} />
    </>
  );
  return adminPage(
    c,
    admin,
    {
      title: "Doctor",
      section: "doctor",
      body,
      styles: ["admin/diagnosis.css", "admin/doctor.css"],
      scripts: ["admin/doctor.js", "admin/copy.js"],
    },
    { status: refused === undefined ? 200 : 422 },
  );
}

interface AskProps {
  readonly c: RequestContext;
  readonly doctor: LoginDoctor;
  readonly text: string;
  readonly refused: string | undefined;
}

/** The one field, with examples of what it recognises. */
function Ask({ c, doctor: { base, origin }, text, refused }: AskProps) {
  return (
    <form class="fields ask" method="post" action={href(c, path)}>
      <div class="field">
        <label for="q">What is the trouble with?</label>
        <input
          id="q"
          name="q"
          required
          maxlength={maxLength}
          value={text}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={refused === undefined ? "q-hint" : "q-wrong q-hint"}
          {...(refused !== undefined && { "aria-invalid": "true" as const })}
        />
        {refused !== undefined && (
          <p class="wrong" id="q-wrong" role="alert">
            {refused}
          </p>
        )}
      </div>
      <div class="actions">
        <button type="submit">Examine</button>
      </div>
      <dl class="quiet" id="q-hint">
        <dt>
          <code>maps/sheet 1.tif</code>
        </dt>
        <dd>an identifier: whether the image is sound, and what makes it slow</dd>
        <dt>
          <code>https://…</code>
        </dt>
        <dd>an address that readers use, of an image or a page: whether ids begin like it</dd>
        <dt>
          <code>login</code>
        </dt>
        <dd>
          {base === undefined ? (
            "the logins of readers; there is no section auth in the configuration, so there are none"
          ) : (
            <>
              the logins of readers at <span class="path">{base}</span>, tried as a viewer at{" "}
              <span class="path">{origin}</span>, in up to 45 s. <code>login https://viewer.example.org</code>{" "}
              tries another viewer, <code>login maps/sheet.tif</code> a certain image
            </>
          )}
        </dd>
      </dl>
    </form>
  );
}

function Compared({ same, text, advice }: AddressComparison) {
  return (
    <div class={`notice ${same ? "good" : "bad"}`} id="compared" role="status">
      <p>{text}</p>
      {advice.length > 0 && (
        <ul>
          {advice.map((each) => (
            <li>{each}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ImageFindings({
  c,
  identifier,
  diagnosis,
}: {
  readonly c: RequestContext;
  readonly identifier: string;
  readonly diagnosis: Diagnosis;
}) {
  const { found, near } = diagnosis;
  return (
    <>
      <Findings diagnosis={diagnosis} />
      {found && (
        <p>
          <a href={href(c, imagePath(identifier))}>
            The page of <span class="path">{identifier}</span>
          </a>{" "}
          shows the picture, its costs and all facts.
        </p>
      )}
      {near !== undefined && (
        <p>
          <a href={href(c, `${path}?q=${encodeURIComponent(near)}`)}>
            Examine <span class="path">{near}</span>
          </a>
        </p>
      )}
    </>
  );
}

interface UrlProps {
  readonly base: string;
}

function PublicUrl({ base, explanation }: UrlProps & { readonly explanation: UrlExplanation }) {
  const { parts, headers, doubts } = explanation;
  return (
    <section aria-labelledby="public-url">
      <h2 id="public-url">Public URL</h2>
      <div class="notice" id="seen-now" role="status" data-base={base} hidden>
        <p />
      </div>
      <p>
        Ids that this service writes for a request like yours begin with <code class="path">{base}</code>.
        That of an image is <code class="path">{`${base}${imageAddress(mainPrefix[3], "example.tif")}`}</code>
        .
      </p>
      <FindingList findings={doubts} />
      <section class="scroll" tabindex={0} aria-label="Where its parts come from">
        <table class="grid stack">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Is</th>
              <th scope="col">Came from</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ part, value, from }) => (
              <tr>
                <th scope="row">{part}</th>
                <td class="path" data-label="Is">
                  {value || "none"}
                </td>
                <td data-label="Came from">{from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {headers.length > 0 && (
        <>
          <h3>Headers of this request</h3>
          <section
            class="scroll"
            tabindex={0}
            aria-label="Headers of this request that affect the public URL"
          >
            <table class="grid stack">
              <thead>
                <tr>
                  <th scope="col">Header</th>
                  <th scope="col">Value</th>
                  <th scope="col">Counts</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {headers.map(({ name, value, counts, why }) => (
                  <tr>
                    <th scope="row">{name}</th>
                    <td class="path" data-label="Value">
                      {value}
                    </td>
                    <td data-label="Counts">
                      <span class={counts ? "pill good" : "pill warn"}>{counts ? "yes" : "ignored"}</span>
                    </td>
                    <td data-label="Why">{why}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}
