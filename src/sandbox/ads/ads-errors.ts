import { jsonReply, type Reply } from '../reply.ts';

/** The status words of area B and the numbers that go with them: HTTP's, and the one used inside partial failures. */
const STATUSES = {
  INVALID_ARGUMENT: { http: 400, rpc: 3 },
  UNAUTHENTICATED: { http: 401, rpc: 16 },
  PERMISSION_DENIED: { http: 403, rpc: 7 },
  NOT_FOUND: { http: 404, rpc: 5 },
  INTERNAL: { http: 500, rpc: 13 },
} as const;

export type AdsStatus = keyof typeof STATUSES;

export interface AdsFailureItem {
  /** `{"queryError":"UNRECOGNIZED_FIELD"}`: the family of the error and its name. */
  readonly errorCode: Readonly<Record<string, string>>;
  readonly message: string;
  readonly location?: {
    readonly fieldPathElements: readonly { readonly fieldName: string; readonly index?: number }[];
  };
}

export interface AdsFailure {
  readonly '@type': string;
  readonly errors: readonly AdsFailureItem[];
  readonly requestId: string;
}

export function adsFailure(version: string, requestId: string, errors: readonly AdsFailureItem[]): AdsFailure {
  const type = `type.googleapis.com/google.ads.googleads.${version}.errors.GoogleAdsFailure`;
  return { '@type': type, errors, requestId };
}

/** Section 7.3's object: `{"error":{code,message,status}}`, with details when there are any. */
export function adsErrorBody(status: AdsStatus, message: string, details: readonly AdsFailure[] = []): object {
  const error = { code: STATUSES[status].http, message, status };
  return { error: details.length === 0 ? error : { ...error, details } };
}

export function adsError(status: AdsStatus, message: string, details: readonly AdsFailure[] = []): Reply {
  const requestId = details[0]?.requestId;
  const headers = requestId === undefined ? undefined : { 'request-id': requestId };
  return jsonReply(STATUSES[status].http, adsErrorBody(status, message, details), headers);
}

/** What stands in `partialFailureError`; its code is the remote-procedure number, not HTTP's. */
export function partialFailureError(message: string, failure: AdsFailure): object {
  return { code: STATUSES.INVALID_ARGUMENT.rpc, message, details: [failure] };
}
