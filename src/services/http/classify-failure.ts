import { ApiError, type RequestOutcome } from '../../domain/errors.ts';
import { cutText } from '../../domain/outside-text.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';

export interface Classification {
  readonly outcome: RequestOutcome;
  readonly transient: boolean;
}

export const PERMANENT: Classification = { outcome: 'not_processed', transient: false };
export const REFUSED_FOR_NOW: Classification = { outcome: 'not_processed', transient: true };
export const UNCERTAIN: Classification = { outcome: 'unknown', transient: true };

/** After a server error, the outcome is unknown, because the service may have done the work. */
export function classifyStatus(status: number): Classification {
  if (status === 429) return REFUSED_FOR_NOW;
  if ([408, 500, 502, 503, 504].includes(status)) return UNCERTAIN;
  if (status >= 300 && status < 500) return PERMANENT;
  return { outcome: 'unknown', transient: false };
}

/** Unexpected text can come from a proxy, so the outcome is unknown, except after a 429. */
export function classifyForeign(status: number, text: string): Classification {
  const classified = classifyStatus(status);
  return status === 429 || text.trim() === '' ? classified : { ...classified, outcome: 'unknown' };
}

/** Without a connection, the service cannot have processed the request. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const NEVER_VALID = new Set(['ERR_INVALID_URL', 'UND_ERR_INVALID_ARG', 'ERR_TLS_CERT_ALTNAME_INVALID']);
const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'Z_BUF_ERROR',
  'Z_DATA_ERROR',
  'ERR_STREAM_PREMATURE_CLOSE',
  'BODY_TOO_SLOW',
]);
/** Used for undici's parser errors that have no code. */
const NOT_HTTP = 'HPE_INVALID';

/** If `syscall` is read or write, the connection was open, so the request may have arrived. */
export function classifyTransport(code: string, syscall?: string): Classification {
  if (NEVER_CONNECTED.has(code)) return syscall === 'read' || syscall === 'write' ? UNCERTAIN : REFUSED_FOR_NOW;
  if (code === 'ETIMEDOUT' && syscall === 'connect') return REFUSED_FOR_NOW;
  if (NEVER_VALID.has(code) || UNTRUSTED.includes(code) || /CERT/.test(code)) return PERMANENT;
  if (BROKEN.has(code) || code.startsWith('HPE_')) return UNCERTAIN;
  return { outcome: 'unknown', transient: false };
}

export const TRANSPORT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server accepts connections there',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within the time limit',
  UND_ERR_BODY_TIMEOUT: 'the answer stalled',
  BODY_TOO_SLOW: 'the answer is too slow',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter than its announced length',
  [NOT_HTTP]: 'the answer is not HTTP',
  Z_BUF_ERROR: 'the compressed answer is cut off',
  Z_DATA_ERROR: 'the compressed answer is damaged',
  ...Object.fromEntries(UNTRUSTED.map((code) => [code, 'the authority of the certificate is unknown'])),
};

/** In UTF-16 units. Errors about certificates can be very long. */
const WORDS_LENGTH_MAX = 500;

/** Hosts with their ports, without secrets. */
export interface ServicePlace {
  readonly host: string;
  readonly proxy: string | undefined;
}

const TUNNEL_REFUSED = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

export function transportFailure(cause: unknown, service: ServicePlace): ApiError {
  const isNotHttp = cause instanceof Error && cause.name === 'HTTPParserError';
  const code = textMember(cause, 'code') ?? (isNotHttp ? NOT_HTTP : 'UNKNOWN');
  // biome-ignore lint/plugin: undici has the status of a proxy only in its message.
  const refused = cause instanceof Error ? TUNNEL_REFUSED.exec(cause.message)?.[1] : undefined;
  if (refused !== undefined) return proxyRefusal(Number(refused), service, cause);
  const { outcome, transient } = classifyTransport(code, textMember(cause, 'syscall'));
  const words =
    TRANSPORT_WORDS[code] ?? cutText(cause instanceof Error ? cause.message : String(cause), WORDS_LENGTH_MAX);
  const address = service.proxy === undefined ? 'the address in the settings' : 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY';
  const nextStep = UNTRUSTED.includes(code)
    ? 'Set tls.ca_file (PACEKEEPER_TLS_CA_FILE) to a file with the certificate of its authority.'
    : code === 'ECONNREFUSED' || code === 'ENOTFOUND'
      ? `Check ${address}.`
      : undefined;
  const place = service.proxy === undefined ? service.host : `${service.host} (through the proxy ${service.proxy})`;
  return new ApiError(`${place} gave no complete answer: ${words} (${code}).`, {
    status: code,
    outcome,
    transient,
    cause,
    nextStep,
  });
}

/** The status of a request that pacekeeper cancelled. Such an error has no HTTP status. */
const STOPPED = 'STOPPED';

export function isGivenUp(error: unknown): boolean {
  return error instanceof ApiError && error.status === STOPPED && error.httpStatus === undefined;
}

/** The outcome is unknown, because the service may have received the request. */
export function givenUp({ host }: ServicePlace, cause: unknown): ApiError {
  return new ApiError(`The request to ${host} was cancelled, because ${ASKED_TO_STOP}.`, {
    status: STOPPED,
    outcome: 'unknown',
    transient: true,
    cause,
  });
}

/** The request never reached the service. */
export function proxyRefusal(status: number, { host, proxy }: ServicePlace, cause?: unknown): ApiError {
  const name = proxy === undefined ? 'A proxy' : `The proxy ${proxy}`;
  return new ApiError(`${name} refused the request to ${host}: it answered HTTP ${status}.`, {
    status: 'PROXY_REFUSED',
    outcome: 'not_processed',
    transient: status === 429 || status >= 500,
    cause,
    nextStep:
      status === 407
        ? 'Proxy authentication required. Set HTTPS_PROXY or HTTP_PROXY to http://USER:PASSWORD@host:port.'
        : 'Ask the proxy operator to allow it. If the host is reachable directly, add it to NO_PROXY.',
  });
}

function textMember(cause: unknown, name: 'code' | 'syscall'): string | undefined {
  if (cause instanceof AggregateError) return textMember(cause.errors[0], name);
  const value = (cause as { code?: unknown; syscall?: unknown } | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function malformed(status: string, message: string, transient: boolean): ApiError {
  return new ApiError(`${message}.`, { status, outcome: 'unknown', transient });
}

export function tooLarge(what: string, bytesMax: number, nextStep = 'Check the address in the settings.'): ApiError {
  const message = `${what} is larger than ${bytesMax.toLocaleString('en-US')} bytes.`;
  return new ApiError(message, { status: 'TOO_LARGE', outcome: 'unknown', transient: false, nextStep });
}

const NOT_OFFERED: readonly unknown[] = [404, 405, 501];

/** Undefined if the service lacks the operation, which its specification may allow. */
export async function offered<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError && NOT_OFFERED.includes(error.httpStatus)) return undefined;
    throw error;
  }
}
