// What the main thread and a worker that checks passwords say to each other, one question at a time.

export interface PasswordQuestion {
  readonly password: string;
  readonly hash: string;
}

/** Absent where it could not be found out. */
export interface PasswordAnswer {
  readonly fits?: boolean;
}
