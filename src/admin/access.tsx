// /admin/auth: who has access to what and how that is decided, without addresses, names of readers or tokens.

import { loginAddress, parseSizeParameter } from "../iiif/index.ts";
import {
  accessWarnings,
  createSessionReading,
  profilesOf,
  type RequestContext,
  type Service,
  type SessionReading,
} from "../server/index.ts";
import { type AdminPage, href } from "./admin.ts";
import { Decisions, timeOf } from "./decisions.tsx";
import { adminPage } from "./frame.tsx";
import { EndSessions, sessionRoutes } from "./sessions.tsx";

/** Routes of /admin/auth. */
export const accessPages: AdminPage = (admin) => {
  const { auth } = admin.service;
  // Reading this process costs nobody anything.
  const everyMs = auth?.options.session.backend === "heap" ? 0 : 10_000;
  const reading = auth && createSessionReading(() => auth.sessions.count(), everyMs);
  return [
    {
      path: "/admin/auth",
      async get(c) {
        const sessions = await reading?.();
        const tally = await readTally(admin.service);
        const body = (
          <>
            <WhatDecides service={admin.service} />
            <Doubts service={admin.service} />
            <Cards service={admin.service} sessions={sessions} tally={tally} />
            <Profiles c={c} service={admin.service} sessions={sessions} />
            <Rules service={admin.service} />
            <EndSessions c={c} service={admin.service} />
            {(auth || isHooked(admin.service)) && <Decisions c={c} service={admin.service} />}
          </>
        );
        return adminPage(c, admin, { title: "Access", section: "access", body });
      },
    },
    ...sessionRoutes(admin),
  ];
};

interface Props {
  readonly service: Service;
}

interface Tally {
  readonly allowed: number;
  readonly denied: number;
}

async function readTally({ registry }: Service): Promise<Tally> {
  const [family] = await registry.read(["access_decisions"]);
  const series = family && family.kind !== "histogram" ? family.series : [];
  const countOf = (outcome: string) => series.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  return { allowed: countOf("allowed"), denied: countOf("denied") };
}

const isHooked = ({ hooks }: Service) => hooks?.has("authorize");

function WhatDecides({ service }: Props) {
  if (!service.auth && !isHooked(service))
    return (
      <div class="notice">
        <p>
          Nothing is gated: everybody may have every image. The section <code>auth</code> of the configuration
          names profiles and rules, and a hook may decide by a function <code>authorize</code>.
        </p>
      </div>
    );
  if (isHooked(service))
    return (
      <div class="notice">
        <p>
          The function <code>authorize</code> of the hook ({service.config().hook.engine}) is asked first.
          {service.auth ? " If it returns nothing, the rules below decide." : " There are no other rules."}
        </p>
      </div>
    );
  return null;
}

/** Shows the warnings of smalti check, except those about the contents of sources. */
function Doubts({ service: { config, platform } }: Props) {
  const doubts = accessWarnings(config(), platform.name, platform.env);
  if (doubts.length === 0) return null;
  return (
    <div class="notice warn" id="doubts">
      <p>Some settings probably protect something else than they should:</p>
      <ul>
        {doubts.map(({ where, text }) => (
          <li>
            <code>{where}</code> {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CardsProps extends Props {
  readonly sessions: SessionReading | undefined;
  readonly tally: Tally;
}

function Cards({ service, sessions, tally }: CardsProps) {
  const { auth } = service;
  return (
    <div class="cards">
      {auth && (
        <>
          <div class="card">
            <span class="label">Sessions</span>
            <strong class="figure">{sessions?.count ? number(sessions.count.total) : "–"}</strong>
            <span class="quiet">{aboutSessions(auth.options.session.backend, sessions)}</span>
          </div>
          <div class="card">
            <span class="label">Stored in</span>
            <strong class="figure">{stores[auth.options.session.backend]}</strong>
            <span class="quiet">for {auth.options.session_ttl} each</span>
          </div>
        </>
      )}
      <div class="card">
        <span class="label">Allowed</span>
        <strong class="figure">{number(tally.allowed)}</strong>
        <span class="quiet">decisions of this process</span>
      </div>
      <div class="card">
        <span class="label">Denied</span>
        <strong class="figure">{number(tally.denied)}</strong>
        <span class="quiet">reduced pictures included</span>
      </div>
    </div>
  );
}

/** Names of session backends for people. */
const stores = { heap: "Memory", filesystem: "Files", s3: "S3", redis: "Redis" } as const;

function aboutSessions(backend: string, sessions: SessionReading | undefined): string {
  if (!sessions) return "being counted; load the page again";
  if (sessions.problem !== undefined) return sessions.problem;
  if (backend === "heap") return "of this process";
  const expired = backend === "s3" ? ", expired ones included" : "";
  return `of all servers${expired}, at ${timeOf(sessions.at)}`;
}

interface ProfilesProps extends Props {
  readonly c: RequestContext;
  readonly sessions: SessionReading | undefined;
}

function Profiles({ c, service: { auth }, sessions }: ProfilesProps) {
  if (!auth) return null;
  const { profiles, rules } = auth.options;
  const names = Object.keys(profiles);
  const byProfile = sessions?.count?.byProfile;
  if (names.length === 0) return null;
  return (
    <section>
      <h2 id="profiles">Profiles</h2>
      <section class="scroll" tabindex={0} aria-labelledby="profiles">
        <table class="grid stack">
          <thead>
            <tr>
              <th scope="col">Profile</th>
              <th scope="col">Pattern</th>
              <th scope="col">Login</th>
              <th scope="col">Others get</th>
              <th scope="col" class="number">
                Rules
              </th>
              <th scope="col" class="number">
                Sessions
              </th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => {
              const { pattern, access_service: login, substitute } = profiles[name]!;
              return (
                <tr>
                  <th scope="row">{name}</th>
                  <td data-label="Pattern">{pattern}</td>
                  <td data-label="Login">
                    {login.backend === "header" ? (
                      "header, set by the site in front"
                    ) : (
                      <a href={loginAddress(href(c, ""), name, 2)}>{login.backend}</a>
                    )}
                  </td>
                  <td data-label="Others get">{reducedText(substitute.max_size)}</td>
                  <td data-label="Rules" class="number">
                    {rules.filter((rule) => profilesOf(rule).includes(name)).length}
                  </td>
                  <td data-label="Sessions" class="number">
                    {byProfile && login.backend !== "header" ? number(byProfile[name] ?? 0) : "–"}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {sessions?.count && !byProfile && (
        <p class="quiet">This session store cannot count sessions by profile.</p>
      )}
    </section>
  );
}

/** Returns what readers without access get, by `substitute.max_size` of the profile. */
function reducedText(maxSize: string): string {
  if (maxSize === "") return "nothing";
  const size = parseSizeParameter(3, maxSize);
  switch (size.kind) {
    case "max":
      return "the whole image";
    case "percent":
      return `at most ${Number(size.percent.digits) / Number(size.percent.scale)} % of the width and height`;
    case "width":
      return `at most ${number(size.width)} pixels of width`;
    case "height":
      return `at most ${number(size.height)} pixels of height`;
    default:
      return `at most ${number(size.width)} × ${number(size.height)} pixels`;
  }
}

function Rules({ service: { auth } }: Props) {
  if (!auth) return null;
  const { rules } = auth.options;
  return (
    <section>
      <h2 id="rules">Rules</h2>
      {rules.length === 0 ? (
        <p>There are no rules, so every image is public.</p>
      ) : (
        <>
          <p class="quiet">
            The first rule that matches an identifier decides. An image that no rule matches is public.
          </p>
          <section class="scroll" tabindex={0} aria-labelledby="rules">
            <table class="grid stack">
              <thead>
                <tr>
                  <th scope="col" class="number">
                    No.
                  </th>
                  <th scope="col">Identifiers</th>
                  <th scope="col">Profile</th>
                </tr>
              </thead>
              <tbody>
                {rules.map((rule, at) => (
                  <tr>
                    <td data-label="No." class="number">
                      {at + 1}
                    </td>
                    <td data-label="Identifiers" class="path">
                      {rule.match}
                    </td>
                    <td data-label="Profile">{profilesOf(rule).join(" or ")}</td>
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

const number = (value: number) => value.toLocaleString("en");
