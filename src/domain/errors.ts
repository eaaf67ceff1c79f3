import type { Diagnostic } from './diagnostic.ts';

/** Wrong usage, configuration, query or rule. Ends the process with exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly nextStep: string | undefined;
  readonly findings: readonly SourceFindings[];

  constructor(
    message: string,
    options: { nextStep?: string; findings?: readonly SourceFindings[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.nextStep = options.nextStep;
    this.findings = options.findings ?? [];
  }
}

export interface SourceFindings {
  readonly file: string;
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RemoteErrorDetail {
  readonly message: string;
  readonly code?: string;
  readonly location?: string;
}

export type RequestOutcome =
  /** The service certainly did nothing. */
  | 'not_processed'
  /** The service may have carried out the request. */
  | 'unknown';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly httpStatus: number | undefined;
  /** The service's status, such as `INVALID_ARGUMENT`, or a transport code, such as `ECONNREFUSED`. */
  readonly status: string;
  readonly requestId: string | undefined;
  readonly details: readonly RemoteErrorDetail[];
  readonly outcome: RequestOutcome;
  /** True if the same request could succeed later. */
  readonly transient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly nextStep: string | undefined;
  /** True if the answer broke off or was too large, so a request for less data could succeed. */
  readonly brokeOff: boolean;

  constructor(
    message: string,
    fields: Pick<ApiError, 'status' | 'outcome' | 'transient'> &
      Partial<
        Pick<ApiError, 'httpStatus' | 'requestId' | 'details' | 'retryAfterMs' | 'nextStep' | 'brokeOff' | 'cause'>
      >,
  ) {
    super(message, { cause: fields.cause });
    this.brokeOff = fields.brokeOff ?? false;
    this.status = fields.status;
    this.outcome = fields.outcome;
    this.transient = fields.transient;
    this.httpStatus = fields.httpStatus;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
    this.retryAfterMs = fields.retryAfterMs;
    this.nextStep = fields.nextStep;
  }
}

/** The credentials are settings, so the command ends with 2. */
export function refusesCredentials(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.httpStatus === 401 || error.status === 'UNAUTHENTICATED');
}

export function explainFailure(error: ApiError): string {
  return explained(error, error.requestId === undefined ? '' : ` (request ${error.requestId})`);
}

/** Omits the request id, so that the same failure always has the same text. */
export function explainAlike(error: ApiError): string {
  return explained(error, '');
}

function explained({ message, nextStep }: ApiError, request: string): string {
  return nextStep === undefined ? `${message}${request}` : inSentences(message, nextStep, request);
}

/** A message and the next step as one line. */
export function inSentences(message: string, nextStep: string, between = ''): string {
  return `${message}${/[.!?]$/.test(message) ? '' : '.'}${between} ${nextStep}`;
}

/** The process that holds the run lock. */
export interface LockHolder {
  /** In words, with the process, host and time. */
  readonly holder: string;
  /** Such as `pacekeeper report`. Undefined if unknown. */
  readonly command: string | undefined;
  /** By the clock of its machine, in UTC. Undefined if unknown. */
  readonly since: string | undefined;
}

/** Another process uses the data folder or the database. Ends the process with exit code 1. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
  readonly nextStep: string;
  readonly by: LockHolder;

  constructor(place: string, by: LockHolder, another: string) {
    super(`${place} is in use by ${by.holder}.`);
    this.by = by;
    this.nextStep = `Wait until it ends, or give this run another ${another}.`;
  }
}

/** A bug in pacekeeper, never the user's mistake. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** For the `default` of a `switch`, so that a missing case does not compile. */
export function unreachable(value: never): never {
  throw new InvariantError(`Unexpected case: ${JSON.stringify(value)}`);
}
