// /admin/doctor: the public URL that this service uses and why, and the logins of readers, tried as a viewer
// would.

import { imageAddress, mainPrefix } from "../../../iiif/image/mounts.ts";
import { readForm } from "../../http/body.ts";
import { explainBaseUrl, type UrlExplanation } from "../../http/client/public-url.ts";
import type { RequestContext } from "../../http/context.ts";
import { type Admin, type AdminPage, href } from "../admin.ts";
import { FindingList } from "../finding-list.tsx";
import { adminPage } from "../frame.tsx";
import { createLoginDoctor, type LoginDoctor, type LoginQuestion, type LoginReport } from "./login-doctor.ts";
import { LoginSection } from "./login-report.tsx";
import { type AddressComparison, compareAddresses } from "./seen-address.ts";

const path = "/admin/doctor";
const loginPath = `${path}/logins`;
/** Maximum bytes of the login doctor's form. */
const maxForm = 16 * 1024;
/** Maximum characters of an address typed for comparison. */
const longestTyped = 2048;

/** Its routes. */
export const doctorPages: AdminPage = (admin) => {
  const doctor = createLoginDoctor(admin.service);
  return [
    { path, get: (c) => respond(c, admin, doctor) },
    {
      path: loginPath,
      get: (c) => new Response(null, { status: 303, headers: { Location: href(c, path) } }),
      post: async (c) => {
        const form = await readForm(c, maxForm);
        const field = (name: string) => form.get(name)?.trim() ?? "";
        const question = { origin: field("origin"), identifier: field("identifier") };
        return respond(c, admin, doctor, { question, report: await doctor.ask(question) });
      },
    },
  ];
};

interface LoginInquiry {
  readonly question: LoginQuestion;
  readonly report: LoginReport;
}

function respond(
  c: RequestContext,
  admin: Admin,
  doctor: LoginDoctor,
  asked?: LoginInquiry,
): Promise<Response> {
  const { service } = admin;
  const base = c.get("base");
  const explanation = explainBaseUrl(c.req.raw, {
    base,
    peer: service.platform.clientAddress(c.req.raw),
    trust: { proxies: service.proxies, baseUrl: service.config().base_url.replace(/\/+$/, "") },
    hasLogins: service.auth !== undefined,
  });
  const typed = new URLSearchParams(c.get("target").query).get("seen")?.slice(0, longestTyped).trim();
  const compared = typed ? compareAddresses(typed, base) : undefined;
  const body = (
    <>
      <PublicUrl c={c} base={base} explanation={explanation} />
      <Compare c={c} base={base} typed={typed ?? ""} compared={compared} />
      <LoginSection action={href(c, loginPath)} doctor={doctor} {...asked} />
      <section aria-labelledby="images">
        <h2 id="images">One image</h2>
        <p>What explains one image stands on its page.</p>
        <form class="search" method="get" action={href(c, "/admin/view")}>
          <input name="identifier" aria-label="Identifier" required autocomplete="off" spellcheck={false} />
          <button type="submit">Ask the image doctor</button>
        </form>
      </section>
    </>
  );
  const styles = ["admin/browse.css", "admin/diagnosis.css", "admin/doctor.css"];
  return adminPage(c, admin, {
    title: "Doctor",
    section: "doctor",
    body,
    styles,
    scripts: ["admin/doctor.js"],
  });
}

interface UrlProps {
  readonly c: RequestContext;
  readonly base: string;
}

function PublicUrl({ base, explanation }: UrlProps & { readonly explanation: UrlExplanation }) {
  const { parts, headers, doubts } = explanation;
  return (
    <section aria-labelledby="public-url">
      <h2 id="public-url">Public URL</h2>
      <p>
        Ids that this service writes for a request like yours begin with <code class="path">{base}</code>.
        That of an image is <code class="path">{`${base}${imageAddress(mainPrefix[3], "example.tif")}`}</code>
        .
      </p>
      <FindingList findings={doubts} />
      <section class="scroll" tabindex={0} aria-label="Where its parts come from">
        <table class="grid">
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
                <td class="path">{value || "none"}</td>
                <td>{from}</td>
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
            <table class="grid">
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
                    <td class="path">{value}</td>
                    <td>
                      <span class={counts ? "pill good" : "pill warn"}>{counts ? "yes" : "ignored"}</span>
                    </td>
                    <td>{why}</td>
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

function Compare({
  c,
  base,
  typed,
  compared,
}: UrlProps & { readonly typed: string; readonly compared: AddressComparison | undefined }) {
  return (
    <section aria-labelledby="compare" id="seen-address" data-base={base}>
      <h2 id="compare">Your browser</h2>
      <div class="notice" id="seen-now" role="status" hidden>
        <p />
      </div>
      {compared && (
        <div class={`notice ${compared.same ? "good" : "bad"}`}>
          <p>{compared.text}</p>
          {compared.advice.length > 0 && (
            <ul>
              {compared.advice.map((each) => (
                <li>{each}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      <form class="fields" method="get" action={href(c, path)}>
        <div class="field">
          <label for="seen">The address of this page, as your browser or a reader's shows it</label>
          <input
            id="seen"
            name="seen"
            type="url"
            required
            maxlength={longestTyped}
            value={typed}
            autocomplete="off"
          />
        </div>
        <div class="actions">
          <button type="submit" class="plain">
            Compare
          </button>
        </div>
      </form>
    </section>
  );
}
