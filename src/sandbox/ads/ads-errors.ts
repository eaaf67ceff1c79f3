import { jsonReply, type Reply } from '../reply.ts';

const STATUSES = {
  INVALID_ARGUMENT: { http: 400, rpc: 3 },
  UNAUTHENTICATED: { http: 401, rpc: 16 },
  PERMISSION_DENIED: { http: 403, rpc: 7 },
  NOT_FOUND: { http: 404, rpc: 5 },
  INTERNAL: { http: 500, rpc: 13 },
} as const;

type AdsStatus = keyof typeof STATUSES;

export interface AdsFailureItem {
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

/** Section 7.3 of the specification defines this error body. */
export function adsErrorBody(status: AdsStatus, message: string, details: readonly AdsFailure[] = []): object {
  const error = { code: STATUSES[status].http, message, status };
  return { error: details.length === 0 ? error : { ...error, details } };
}

export function adsError(status: AdsStatus, message: string, details: readonly AdsFailure[] = []): Reply {
  const requestId = details[0]?.requestId;
  const headers = requestId === undefined ? undefined : { 'request-id': requestId };
  return jsonReply(STATUSES[status].http, adsErrorBody(status, message, details), headers);
}

export function partialFailureError(message: string, failure: AdsFailure): object {
  return { code: STATUSES.INVALID_ARGUMENT.rpc, message, details: [failure] };
}
