// Credentials for requests to AWS and compatible services, fixed or renewed.

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Credentials of a role. */
export interface RoleCredentials extends S3Credentials {
  /** Milliseconds since 1970; absent if they do not expire. */
  readonly expiresAt?: number;
}

/** Credentials that are fetched when they are needed, and renewed before they expire. */
export interface CredentialsProvider {
  /** Throws CredentialsError if there are none, or none that have not expired. */
  get(): Promise<S3Credentials>;
  /**
   * Fetches new credentials after a service has refused those as expired, once for all simultaneous callers.
   * Returns undefined if that cannot help: the service has just refused new ones too. Throws
   * CredentialsError.
   */
  renew(refused: S3Credentials): Promise<S3Credentials | undefined>;
}

/**
 * Credentials could not be fetched. The message is for the operator: it names what was tried and what to do,
 * and contains no secret.
 */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}
