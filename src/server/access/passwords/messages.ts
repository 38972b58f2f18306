// Messages between the main thread and a worker that checks passwords, one question at a time.

export interface PasswordQuestion {
  readonly password: string;
  readonly hash: string;
}

/** Absent if the check failed to reach a result. */
export interface PasswordReply {
  readonly fits?: boolean;
}
