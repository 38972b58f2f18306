// What the doctor says: one finding for each step of a login that is in order, and one for each fault of the others.

/** The steps of a login, in the order in which a viewer takes them. */
export const steps = [
  "address",
  "settings",
  "probe",
  "info.json",
  "image",
  "login",
  "cookie",
  "token",
  "access",
  "logout",
  "clock",
] as const;
export type StepName = (typeof steps)[number];

/** What is wrong. Texts hold no cookie, token, password or query of an address. */
export interface Fault {
  /** For programs; stays the same. */
  readonly code: string;
  readonly came: string;
  readonly expected: string;
  /** What the operator does about it. */
  readonly change: string;
}

interface Place {
  readonly step: StepName;
  /** Absent for what concerns all profiles. */
  readonly profile?: string;
}

export type Finding = Place &
  (
    | { readonly state: "ok"; readonly came: string }
    /** Not looked at, and why. */
    | { readonly state: "skipped"; readonly came: string }
    | ({ readonly state: "problem" } & Fault)
  );

/** A fault after which the rest of a step means nothing. */
export class StepFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.came, options);
    this.fault = fault;
  }
}

/** A value of an answer as it may be shown: short. */
export const shown = (value: string): string => (value.length > 160 ? `${value.slice(0, 160)}…` : value);
