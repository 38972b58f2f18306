// The services that image information advertises, field by field as the two specifications have them.

import { describe, expect, test } from "vitest";
import { type AdvertisedProfile, authServices, probeResult, scalar } from "../../src/iiif/auth.ts";

const staff: AdvertisedProfile = {
  name: "staff",
  pattern: "active",
  label: { de: ["Anmelden"], en: ["Log in here"] },
  heading: { en: ["Staff only"] },
  description: { en: ["For those who work here."] },
  note: { en: ["Ask the desk."] },
  confirm_label: "Enter",
  access_service: { backend: "builtin" },
};
const bare: AdvertisedProfile = {
  ...staff,
  label: {},
  heading: {},
  description: {},
  note: "",
  confirm_label: "",
};
const image = {
  base: "https://a.example/images",
  identifier: "private/é;2",
  version: 3,
  strict: false,
} as const;

test("both trees are in order, that of 2.0 first", () => {
  expect(authServices([staff], image)).toEqual([
    {
      id: "https://a.example/images/iiif/auth/probe/private%2F%C3%A9;2",
      type: "AuthProbeService2",
      profile: "AuthProbeService2",
      errorHeading: { en: ["Staff only"] },
      errorNote: { en: ["Ask the desk."] },
      service: [
        {
          id: "https://a.example/images/iiif/auth/login/staff",
          type: "AuthAccessService2",
          profile: "active",
          label: { de: ["Anmelden"], en: ["Log in here"] },
          heading: { en: ["Staff only"] },
          note: { en: ["For those who work here."] },
          confirmLabel: { none: ["Enter"] },
          service: [
            { id: "https://a.example/images/iiif/auth/token", type: "AuthAccessTokenService2" },
            {
              id: "https://a.example/images/iiif/auth/logout",
              type: "AuthLogoutService2",
              label: expect.objectContaining({ en: ["Log out (a.example)"], de: ["Abmelden (a.example)"] }),
            },
          ],
        },
      ],
    },
    {
      "@context": "http://iiif.io/api/auth/1/context.json",
      "@id": "https://a.example/images/iiif/auth/v1/login/staff",
      profile: "http://iiif.io/api/auth/1/login",
      label: "Log in here",
      header: "Staff only",
      description: "For those who work here.",
      confirmLabel: "Enter",
      failureHeader: "Staff only",
      failureDescription: "Ask the desk.",
      service: [
        { "@id": "https://a.example/images/iiif/auth/v1/token", profile: "http://iiif.io/api/auth/1/token" },
        {
          "@id": "https://a.example/images/iiif/auth/v1/logout",
          profile: "http://iiif.io/api/auth/1/logout",
          label: "Log out (a.example)",
        },
      ],
    },
  ]);
});

test("in version 2 the tree of 2.0 has its own context, since that of the document is fixed", () => {
  const [probe] = authServices([staff], { ...image, version: 2 });
  expect(Object.entries(probe ?? {})[0]).toEqual(["@context", "http://iiif.io/api/auth/2/context.json"]);
});

type Tree = { profile?: string; service?: Tree[]; label?: unknown; confirmLabel?: unknown };
const trees = (profile: AdvertisedProfile, strict = false) => {
  const [two, one] = authServices([profile], { ...image, strict }) as Tree[];
  return { two: two?.service?.[0], one };
};

test.each([
  ["clickthrough", "clickthrough", "active", "clickthrough"],
  ["active", "active", "active", "login"],
  ["kiosk", "kiosk", "kiosk", "kiosk"],
  ["external", "external", "external", "external"],
] as const)("%s is called %s in 2.0, %s in strict mode, and …/%s in 1.0", (pattern, two, strict, one) => {
  const profile = { ...staff, pattern };
  expect(trees(profile).two?.profile).toBe(two);
  expect(trees(profile, true).two?.profile).toBe(strict);
  expect(trees(profile, true).one?.profile).toBe(`http://iiif.io/api/auth/1/${one}`);
});

test.each([
  ["active", "Sign in"],
  ["clickthrough", "Continue"],
  ["kiosk", "Continue"],
  ["external", "Continue"],
] as const)(
  "without the operator's texts a profile of pattern %s is labelled Access with the host, its button %s",
  (pattern, button) => {
    const { two, one } = trees({ ...bare, pattern });
    expect(two).toMatchObject({ label: { en: ["Access (a.example)"] }, confirmLabel: { en: [button] } });
    expect(two).not.toHaveProperty("heading");
    expect(two).not.toHaveProperty("note");
    const text = "Access (a.example)";
    expect(one).toMatchObject({ label: text, header: text, confirmLabel: button });
    expect(one).not.toHaveProperty("description");
  },
);

test("a profile of the backend header advertises its probe alone", () => {
  expect(authServices([{ ...bare, access_service: { backend: "header" } }], image)).toEqual([
    {
      id: "https://a.example/images/iiif/auth/probe/private%2F%C3%A9;2",
      type: "AuthProbeService2",
      profile: "AuthProbeService2",
    },
  ]);
});

test("the tree of 1.0 says what to do after a failure, without texts of the operator's too", () => {
  expect(trees(bare).one).toMatchObject({
    failureHeader: "No access",
    failureDescription: expect.stringMatching(
      /cookies of other sites.*https:\/\/a\.example\/images\/view\/$/,
    ),
  });
  const [, alone] = authServices([bare], { ...image, hasViewer: false });
  expect(alone).toMatchObject({ failureDescription: expect.not.stringContaining("/view/") });
  expect(alone).toMatchObject({ failureDescription: expect.stringContaining("cookies of other sites") });
  // Cookies are not what a reader outside of a kiosk lacks.
  expect(trees({ ...bare, pattern: "kiosk" }).one).toMatchObject({
    failureDescription: expect.stringContaining("certain network addresses"),
  });
  expect(trees({ ...bare, note: { de: ["Fragen Sie."], "en-GB": ["Ask."] } }).one).toMatchObject({
    failureDescription: "Ask.",
  });
});

test("labels of the service name the institution, in the reader's language if it has a name there", () => {
  const institution = { de: ["Landesbibliothek"], en: ["State Library"] };
  const [two, one] = authServices([{ ...bare }], { ...image, institution }) as Tree[];
  const access = two?.service?.[0];
  expect(access?.label).toMatchObject({
    de: ["Zugang (Landesbibliothek)"],
    en: ["Access (State Library)"],
    fr: ["Accès (State Library)"],
  });
  expect(access?.service?.[1]?.label).toMatchObject({ de: ["Abmelden (Landesbibliothek)"] });
  expect(one?.label).toBe("Access (State Library)");
  expect(one?.service?.[1]?.label).toBe("Log out (State Library)");
  // A label of the operator's own is the operator's to write.
  expect(authServices([staff], { ...image, institution })[1]).toMatchObject({ label: "Log in here" });
});

test.each([
  [{ heading: { en: ["Staff only"] }, label: { en: ["Sign in"] } }, { en: ["Staff only"] }],
  [{ heading: {}, label: { en: ["Sign in"] } }, { en: ["Sign in"] }],
  [{ heading: {}, label: {} }, expect.objectContaining({ en: ["No access"], de: ["Kein Zugang"] })],
])("a note always has a heading: %j", (texts, heading) => {
  const profile = { ...bare, ...texts, note: "Ask the desk." };
  const note = { none: ["Ask the desk."] };
  expect(authServices([profile], image)[0]).toMatchObject({ errorHeading: heading, errorNote: note });
  expect(probeResult({ status: 401 }, [profile])).toMatchObject({ heading, note });
});

test.each([
  [{ de: ["Hallo"], en: ["Hello", "you"] }, "Hello"],
  [{ de: ["Hallo"], "en-GB": ["Hello"] }, "Hello"],
  [{ de: ["Hallo"], fr: ["Salut"] }, "Hallo"],
  [{ eng: ["?"], de: ["Hallo"] }, "?"],
  [{}, undefined],
])("%j becomes %j if one string is needed", (map, text) => {
  expect(scalar(map)).toBe(text);
});

describe("the result of a probe", () => {
  const frame = { "@context": "http://iiif.io/api/auth/2/context.json", type: "AuthProbeResult2" };
  const heading = { en: ["Staff only"] };
  const note = { en: ["Ask the desk."] };
  test.each([
    [{ status: 200 }, {}],
    [{ status: 401 }, { heading, note }],
    [{ status: 451 }, { heading, note }],
    [
      { status: 403, note: "Not for visitors." },
      { heading, note: { none: ["Not for visitors."] } },
    ],
    [
      { status: 503, note: { en: ["Later."] } },
      { heading: expect.objectContaining({ en: ["Not available at the moment"] }), note: { en: ["Later."] } },
    ],
    [
      { status: 501, note: { en: ["No image."] } },
      {
        heading: expect.objectContaining({ en: ["This image cannot be shown"] }),
        note: { en: ["No image."] },
      },
    ],
    [
      { status: 404, heading: { en: ["None"] }, note: { en: ["Look elsewhere."] } },
      { heading: { en: ["None"] }, note: { en: ["Look elsewhere."] } },
    ],
    [
      { status: 303, location: "https://b.example/" },
      { location: { id: "https://b.example/", type: "Image" } },
    ],
  ])("for %j has exactly the members it needs", (outcome, rest) => {
    expect(probeResult(outcome, [staff])).toEqual({ ...frame, status: outcome.status, ...rest });
  });

  test("reveals nothing about the profile while access is unknown", () => {
    expect(probeResult({ status: 503 }, [staff])).not.toHaveProperty("note");
  });

  test("names a substitute in a list, with its type", () => {
    expect(
      probeResult({ status: 401, substitute: "https://a.example/x.jpg" }, [{ ...bare, note: "No." }]),
    ).toEqual({
      ...frame,
      status: 401,
      substitute: [{ id: "https://a.example/x.jpg", type: "Image" }],
      heading: expect.objectContaining({ en: ["No access"] }),
      note: { none: ["No."] },
    });
  });

  test("of an image without a rule has the service's heading", () => {
    expect(probeResult({ status: 401 })).toEqual({
      ...frame,
      status: 401,
      heading: expect.objectContaining({ en: ["No access"], nl: ["Geen toegang"] }),
    });
  });
});

test("a refusal says that a kiosk counts at certain addresses only, unless the operator says something else", () => {
  const room = { ...bare, name: "room", pattern: "kiosk" } as const;
  const noteOf = (...profiles: AdvertisedProfile[]) => probeResult({ status: 401 }, profiles).note;
  expect(noteOf(room)).toMatchObject({
    en: [expect.stringMatching(/certain network addresses.*from there/)],
  });
  expect(noteOf(room)).not.toMatchObject({ en: [expect.stringMatching(/log ?in/i)] });
  expect(noteOf(bare, room)).toMatchObject({
    en: [expect.stringMatching(/Log in, or try again from there/)],
  });
  expect(noteOf({ ...room, note: "Ask the desk." })).toEqual({ none: ["Ask the desk."] });
  expect(noteOf(staff, room)).toEqual(staff.note);
  expect(noteOf(bare)).toBeUndefined();
  expect(authServices([room], image)[0]).toMatchObject({ errorNote: noteOf(room) });
});

test("several profiles are access services of one probe, and consecutive services of 1.0", () => {
  const room = { ...bare, name: "room", pattern: "kiosk" } as const;
  const proxied = { ...bare, name: "proxied", access_service: { backend: "header" } };
  const [probe, ...older] = authServices([staff, proxied, room], image) as (Tree & { "@id"?: string })[];
  expect(probe).toMatchObject({ type: "AuthProbeService2", errorHeading: staff.heading });
  expect(probe?.service).toMatchObject([
    { id: "https://a.example/images/iiif/auth/login/staff", type: "AuthAccessService2", profile: "active" },
    { id: "https://a.example/images/iiif/auth/login/room", type: "AuthAccessService2", profile: "kiosk" },
  ]);
  expect(older).toMatchObject([
    {
      "@id": "https://a.example/images/iiif/auth/v1/login/staff",
      profile: "http://iiif.io/api/auth/1/login",
    },
    { "@id": "https://a.example/images/iiif/auth/v1/login/room", profile: "http://iiif.io/api/auth/1/kiosk" },
  ]);
});
