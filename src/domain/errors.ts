import type { Diagnostic } from './diagnostic.ts';

/** The user's input is wrong: usage, configuration, a query or a rule. Ends the process with exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** What to do about it, a sentence of its own. */
  readonly nextStep: string | undefined;
  /** Positioned findings, when the input is a file. All of them, not the first. */
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

/** One input file with what was found in it. */
export interface SourceFindings {
  readonly file: string;
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** One element of a remote failure's `errors[]` (requirement B15). */
export interface RemoteErrorDetail {
  readonly message: string;
  /** The service's own name of the error, such as `queryError.UNRECOGNIZED_FIELD`, when it gives one. */
  readonly code?: string;
  /** `location.fieldPathElements[].fieldName`, joined with dots. */
  readonly location?: string;
}

/** How far a failed request got; decides whether it may be repeated. */
export type RequestOutcome =
  /** The service says, or the connection proves, that nothing was done. */
  | 'not_processed'
  /** The request may have been carried out: no answer, or one that proves nothing. */
  | 'unknown';

/** A remote interface answered with a failure, or did not answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, when there was an answer. */
  readonly httpStatus: number | undefined;
  /** The service's status word (`INVALID_ARGUMENT`), or a transport code (`ECONNREFUSED`, `TRUNCATED`). */
  readonly status: string;
  readonly requestId: string | undefined;
  readonly details: readonly RemoteErrorDetail[];
  readonly outcome: RequestOutcome;
  /** Whether the same request may succeed a little later. */
  readonly transient: boolean;
  /** The pause the service asked for before the next try, milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly nextStep: string | undefined;
  /** The answer had begun and broke off, or was given up as too large: a smaller one may arrive whole. */
  readonly brokeOff: boolean;

  constructor(
    message: string,
    fields: {
      status: string;
      outcome: RequestOutcome;
      transient: boolean;
      httpStatus?: number | undefined;
      requestId?: string | undefined;
      details?: readonly RemoteErrorDetail[];
      retryAfterMs?: number | undefined;
      nextStep?: string | undefined;
      brokeOff?: boolean;
      cause?: unknown;
    },
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

/** A remote failure in one paragraph: what happened, the service's reference for it, and what to do about it. */
export function explainFailure(error: ApiError): string {
  return explained(error, error.requestId === undefined ? '' : ` (request ${error.requestId})`);
}

/** The same without the reference, which each request has another of: the same failure has the same words. */
export function explainAlike(error: ApiError): string {
  return explained(error, '');
}

function explained(error: ApiError, request: string): string {
  if (error.nextStep === undefined) return `${error.message}${request}`;
  // The service's own words may lack their full stop.
  const stop = /[.!?]$/.test(error.message) ? '' : '.';
  return `${error.message}${stop}${request} ${error.nextStep}`;
}

/** Another process has the data folder. Ends the process with exit code 1. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
  readonly nextStep = 'Wait until it ends, or give this run a folder of its own with --data-dir.';

  constructor(dataFolder: string, holder: string) {
    super(`${dataFolder} is in use by ${holder}.`);
  }
}

/** Our own code broke a promise it makes to itself: a bug, never the user's fault. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Closes an exhaustive `switch`: the compiler refuses a forgotten case, the process a forged one. */
export function unreachable(value: never): never {
  throw new InvariantError(`Unexpected case: ${JSON.stringify(value)}`);
}
