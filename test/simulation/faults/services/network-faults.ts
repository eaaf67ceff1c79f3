import type { Random } from '../random.ts';
import { json, refusal, type ServiceAnswer } from './ads-service.ts';
import { refused } from './phone-service.ts';
import { refusedPost } from './posted-service.ts';

/** What goes wrong with one request. */
export const FAULTS = [
  /** The answer comes, after a while. */
  'slow',
  /** It arrives when nobody waits for its answer any more. */
  'arrives_late',
  /** It is carried out at once, and the answer comes when nobody waits any more. */
  'answered_late',
  'request_lost',
  'answer_lost',
  'nothing_listens',
  'reset_before',
  'reset_after',
  /** The connection is cut within the answer. */
  'cut',
  /** The answer ends early, as if it were whole. */
  'truncated',
  'stalls',
  /** Something on the way delivers it a second time. */
  'twice',
  /** A refusal that nothing makes better. */
  'status_400',
  'status_429',
  'status_429_for_hours',
  'status_401',
  'status_500_before',
  'status_500_after',
  'status_503_before',
  'status_503_after',
  'html_200_before',
  'html_200_after',
  'html_404_before',
  'html_404_after',
  'html_502_before',
  'html_502_after',
  /** A status of a redirect or a refusal, and nothing else. */
  'bare_before',
  'bare_after',
  /** Budgets as they were before our own newest changes. */
  'old_reading',
  /** A stream that holds an error after some batches. */
  'error_in_stream',
  /** The answer to a request of another kind. */
  'wrong_answer',
  /** The answer to the same request for another account. */
  'other_account',
  /** A success that names another budget, although nothing was done. */
  'other_name_before',
  /** A success without a word. */
  'no_word_before',
  'no_word_after',
  /** The change is made, and then refused in the service's own words: by itself, or as a part of the request. */
  'refused_400_after',
  'refused_401_after',
  'refused_403_after',
  'refused_404_after',
  'refused_409_after',
  'refused_429_after',
  'refused_part_after',
] as const;

export type FaultKind = (typeof FAULTS)[number];

/** How a request goes. Milliseconds. */
export interface Course {
  readonly kind: FaultKind | undefined;
  readonly thereMs: number;
  readonly backMs: number;
  /** Where in the answer something happens, a share of its bytes. */
  readonly at: number;
  /** How old a reading is. */
  readonly lagMs: number;
}

/** What is asked for: rows, a change or its validation, a message on one of the channels, a look at messages, anything else. */
export type RequestKind =
  | 'stream'
  | 'validate'
  | 'mutate'
  | 'message'
  | 'send'
  | 'post'
  | 'mail'
  | 'look-up'
  | 'token'
  | 'list';

export function requestKind(url: URL, method: string, body: string): RequestKind {
  if (url.hostname === 'token.example') return 'token';
  if (url.hostname === 'graph.example') return 'send';
  if (url.hostname === 'posted.example') return 'post';
  if (url.hostname === 'mail.example') return 'mail';
  if (url.hostname === 'messages.example') return method === 'POST' ? 'message' : 'look-up';
  if (url.pathname.endsWith(':searchStream')) return 'stream';
  if (url.pathname.endsWith(':mutate')) return body.includes('"validateOnly":true') ? 'validate' : 'mutate';
  return 'list';
}

/** To look like the answer to one they have to be given to a change. */
export const FAULTS_OF_CHANGES: readonly FaultKind[] = ['other_name_before', 'no_word_before', 'no_word_after'];

/** The words of each refusal by itself, with its status. */
const REFUSALS: Partial<Record<FaultKind, readonly [number, string]>> = {
  refused_400_after: [400, 'INVALID_ARGUMENT'],
  refused_401_after: [401, 'UNAUTHENTICATED'],
  refused_403_after: [403, 'PERMISSION_DENIED'],
  refused_404_after: [404, 'NOT_FOUND'],
  refused_409_after: [409, 'ABORTED'],
  refused_429_after: [429, 'RESOURCE_EXHAUSTED'],
};

/** A service that lies after a change does so each time: see `Network.lies`. */
export const LIES: readonly FaultKind[] = [...(Object.keys(REFUSALS) as FaultKind[]), 'refused_part_after'];

export function canBefall(kind: FaultKind, on: RequestKind): boolean {
  if (LIES.includes(kind)) return false;
  if (FAULTS_OF_CHANGES.includes(kind)) return on === 'mutate';
  // Both are drawn from what is drawn anyway, see courseOf.
  if (kind === 'old_reading' || kind.startsWith('bare_')) return false;
  if (kind === 'error_in_stream') return on === 'stream';
  return kind !== 'other_account' || on === 'stream' || on === 'mutate';
}

/** Of readings of budgets that nothing else befalls. */
const OLD_READINGS = 0.3;
/** Shorter than what the program takes for the lag of a reading. */
const LAG_MS_MAX = 59 * 60_000;

/** What becomes of a request, where something goes wrong with so many of them; `surely` is what does with this one. */
export function courseOf(
  random: Random,
  trouble: number,
  on: RequestKind,
  surely: FaultKind | undefined,
  readsBudgets: boolean,
): Course {
  const thereMs = random.between(5, 400);
  const backMs = random.between(5, 400);
  const at = random.next();
  const later = random.between(1_000, 40_000);
  const drawn = random.chance(trouble) ? random.pick(FAULTS.filter((one) => canBefall(one, on))) : undefined;
  const isOld = drawn === undefined && readsBudgets && trouble > 0 && at < OLD_READINGS;
  const page = surely ?? (isOld ? 'old_reading' : drawn);
  const kind = (on === 'mutate' || on === 'post') && at < 0.5 ? withoutPage(page) : page;
  const lagMs = kind === 'old_reading' ? (LAG_MS_MAX * at) / OLD_READINGS : 0;
  const course = { kind, thereMs, backMs, at, lagMs };
  switch (kind) {
    case 'slow':
      return { ...course, backMs: backMs + later };
    case 'arrives_late':
      // Long after it was given up: what became of it was asked meanwhile, perhaps.
      return { ...course, thereMs: 120_000 + later * random.pick([1, 1, 1, 20]) };
    case 'answered_late':
      return { ...course, backMs: 120_000 + later };
    default:
      return course;
  }
}

function withoutPage(kind: FaultKind | undefined): FaultKind | undefined {
  if (kind === 'html_404_before') return 'bare_before';
  return kind === 'html_404_after' ? 'bare_after' : kind;
}

/** Whether the service gets to see the request. */
export function isProcessed(kind: FaultKind | undefined): boolean {
  if (kind === undefined) return true;
  if (kind.endsWith('_before')) return false;
  const ends = ['request_lost', 'nothing_listens', 'status_429', 'status_429_for_hours'];
  return ![...ends, 'status_400', 'status_401'].includes(kind);
}

const HTML = '<!doctype html><title>Sorry</title><p>Something on the way is not well.';
const html = (status: number): ServiceAnswer => ({ status, headers: { 'content-type': 'text/html' }, body: HTML });

/** What comes back in place of the service's answer; the answer itself where nothing is wrong with it. */
export function spoilt({ kind, at }: Course, answer: ServiceAnswer | undefined, url: URL): ServiceAnswer | undefined {
  const isAds = !['graph.example', 'messages.example'].includes(url.hostname);
  const isGraph = url.hostname === 'graph.example';
  const refuse = (status: number, word: string, code: number, headers: Record<string, string> = {}) => {
    if (url.hostname === 'posted.example') return refusedPost(url, status, headers);
    return isAds ? refusal(status, word, 'No.', headers) : refused(isGraph, status, code, headers);
  };
  const [lied, word] = (kind && REFUSALS[kind]) ?? [];
  if (lied !== undefined && word !== undefined) return refusal(lied, word, 'No.');
  switch (kind) {
    case 'refused_part_after':
      return answer && { ...answer, body: refusedInPart(answer.body, at) };
    case 'status_400':
      return refuse(400, 'INVALID_ARGUMENT', isGraph ? 131026 : 21610);
    case 'status_429':
      return refuse(429, 'RESOURCE_EXHAUSTED', isGraph ? 130429 : 20429, { 'retry-after': '3' });
    case 'status_429_for_hours':
      return refuse(429, 'RESOURCE_EXHAUSTED', isGraph ? 130429 : 20429, { 'retry-after': '7200' });
    case 'status_401':
      return refuse(401, 'UNAUTHENTICATED', isGraph ? 190 : 20003);
    case 'status_500_before':
    case 'status_500_after':
      return refuse(500, 'INTERNAL', isGraph ? 131000 : 20500);
    case 'status_503_before':
    case 'status_503_after':
      return refuse(503, 'UNAVAILABLE', isGraph ? 131016 : 20503);
    case 'html_200_before':
    case 'html_200_after':
      return html(200);
    case 'html_404_before':
    case 'html_404_after':
      return html(404);
    case 'bare_before':
    case 'bare_after':
      return { status: BARE[Math.floor(at * 1000) % BARE.length] ?? 302, headers: {}, body: '' };
    case 'html_502_before':
    case 'html_502_after':
      return html(502);
    case 'error_in_stream':
      return answer && { ...answer, body: withError(answer.body, at) };
    case 'wrong_answer':
      return answer && { ...answer, body: WRONG[at < 0.5 ? 'accounts' : 'mutation'] };
    case 'other_name_before':
      return json(200, { results: [{ resourceName: 'customers/1/campaignBudgets/1' }] }, 'other');
    case 'no_word_before':
    case 'no_word_after':
      return json(200, {}, 'silent');
    case 'truncated':
      return answer && { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length * at)) };
    default:
      return answer;
  }
}

/** With the code of the whole. */
const PARTS: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
  [7, { authorizationError: 'USER_PERMISSION_DENIED' }],
  [8, { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' }],
  [5, { mutateError: 'RESOURCE_NOT_FOUND' }],
  [3, { campaignBudgetError: 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT' }],
  [10, { databaseError: 'CONCURRENT_MODIFICATION' }],
  [16, { authenticationError: 'OAUTH_TOKEN_EXPIRED' }],
  [13, { internalError: 'INTERNAL_ERROR' }],
];

/** Every operation is refused, or all but the last. */
function refusedInPart(body: string, at: number): string {
  const { results = [] } = JSON.parse(body) as { readonly results?: readonly object[] };
  const [code, errorCode] = PARTS[Math.floor(at * 1000) % PARTS.length] ?? [];
  const refused = results.slice(0, at < 0.5 ? undefined : Math.max(1, results.length - 1));
  const errors = refused.map((_, index) => {
    const location = { fieldPathElements: [{ fieldName: 'operations', index }] };
    return { message: 'Not this budget.', errorCode, location };
  });
  const told = [...refused.map(() => ({})), ...results.slice(refused.length)];
  return JSON.stringify({ results: told, partialFailureError: { code, message: 'Some.', details: [{ errors }] } });
}

const BARE = [301, 302, 307, 400, 403, 404, 409, 410, 429, 499];

const WRONG = {
  accounts: '[{"results":[{"customer":{"id":"1"}}],"requestId":"wrong"}]',
  mutation: '{"results":[{"resourceName":"customers/1/campaignBudgets/1"}]}',
};

/** The first batches, and then an error of the service's own. */
function withError(body: string, at: number): string {
  const parts: unknown = JSON.parse(body);
  if (!Array.isArray(parts)) return body;
  const error = { error: { code: 500, status: 'INTERNAL', message: 'In the middle.', details: [] } };
  return JSON.stringify([...parts.slice(0, Math.floor(parts.length * at)), error]);
}
