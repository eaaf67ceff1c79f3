import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import {
  type Classification,
  classifyForeign,
  classifyStatus,
  PERMANENT,
  REFUSED_FOR_NOW,
  UNCERTAIN,
} from '../../services/http/classify-failure.ts';
import { isSuccess } from '../../services/http/http-client.ts';
import type { Redact } from '../../services/http/redact.ts';
import { retryAfterMs as askedPauseMs } from '../../services/http/retry.ts';
import { SENTENCE_LENGTH_MAX, tellable, tellableId, tellableWord } from '../../services/http/tellable.ts';
import type { CodeMeaning } from '../channel.ts';

const integer = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

/** These fields come from section 7.1 and from the public API. A malformed optional field is ignored. */
const errorBody = z.object({
  error: z.object({
    message: z.string().catch(''),
    type: z.string().optional().catch(undefined),
    code: integer,
    error_subcode: integer.optional().catch(undefined),
    fbtrace_id: z.string().optional().catch(undefined),
    error_data: z.object({ details: z.string() }).optional().catch(undefined),
  }),
});

type ErrorBody = z.infer<typeof errorBody>['error'];

interface Hiding {
  readonly hide: (text: string) => string;
  /** Removes only secrets, because an id can look like a phone number. */
  readonly redact: Redact;
}

/** Undefined for success (requirement A7). */
export function graphFailure(
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  text: string,
  hiding: Hiding,
): ApiError | undefined {
  const parsed = errorBody.safeParse(parseJson(text));
  const retryAfterMs = askedPauseMs(answer.headers);
  if (parsed.success) return failureOf(parsed.data.error, answer.status, retryAfterMs, hiding);
  if (isSuccess(answer)) return undefined;
  const html = /^\s*</.test(text);
  const found = text.trim() === '' ? 'nothing' : html ? 'a page' : JSON.stringify(hiding.hide(text).slice(0, 120));
  return new ApiError(`The graph interface answered HTTP ${answer.status} with ${found}, expected JSON.`, {
    ...classifyForeign(answer.status, text),
    httpStatus: answer.status,
    status: `HTTP_${answer.status}`,
    retryAfterMs,
    nextStep: answer.status === 404 ? 'Check GRAPH_URL and GRAPH_VERSION.' : undefined,
  });
}

function failureOf(
  error: ErrorBody,
  httpStatus: number,
  retryAfterMs: number | undefined,
  { hide, redact }: Hiding,
): ApiError {
  const known = explainGraphCode(error.code, error.error_subcode);
  const code = [error.code, error.error_subcode].filter((part) => part !== undefined).join('/');
  const said = [error.message, error.error_data?.details]
    .flatMap((part) => (part ? [withoutFullStop(tellable(part, hide, SENTENCE_LENGTH_MAX))] : []))
    .join('; ');
  const name = [tellableWord(error.type, hide), code].filter(Boolean).join(' ');
  const pauses = [retryAfterMs, known?.pauseMs].filter((pause) => pause !== undefined);
  const sentences = [`The graph interface answered ${name}${said && `: ${said}`}.`, known?.meaning];
  return new ApiError(sentences.filter(Boolean).join(' '), {
    ...(known ?? classifyStatus(httpStatus)),
    httpStatus,
    status: String(error.code),
    requestId: tellableId(error.fbtrace_id, redact),
    details: [{ message: said, code: name }],
    retryAfterMs: pauses.length === 0 ? undefined : Math.max(...pauses),
    nextStep: known?.nextStep,
  });
}

export interface GraphErrorMeaning extends Classification, CodeMeaning {
  /** The shortest useful pause before a retry, in milliseconds. */
  readonly pauseMs?: number;
}

/** The service accepts about one message in six seconds to the same recipient. */
const PAIR_PAUSE_MS = 6_000;

const WAIT_STEP = 'Wait, then retry with fewer requests at a time.';

function refused(meaning: string, nextStep?: string): GraphErrorMeaning {
  return { meaning, nextStep, ...PERMANENT };
}

const CHECK_TEMPLATE = "Check the template in the provider's list. Set an approved one in graph.templates.";
const CHECK_FIELDS = "Compare the fields in graph.templates with the template's variables.";

const badToken = (meaning: string) => refused(meaning, 'Issue a new token and set GRAPH_ACCESS_TOKEN.');
const TOKEN = badToken('The access token is invalid.');
const PERMISSION = refused(
  'The token lacks a permission for this request.',
  'Run pacekeeper graph permissions. Issue a token with the missing permission.',
);
const THROTTLED: GraphErrorMeaning = {
  meaning: 'Too many requests. The service did not process this one.',
  nextStep: WAIT_STEP,
  ...REFUSED_FOR_NOW,
};

/** The keys are `code` or `code/subcode` (requirement A7). */
export const GRAPH_CODES: Readonly<Record<string, GraphErrorMeaning>> = {
  '0': TOKEN,
  '1': {
    meaning: 'The service failed. It may have processed the request.',
    nextStep: undefined,
    ...UNCERTAIN,
  },
  '2': { meaning: 'The service is temporarily unavailable.', nextStep: undefined, ...UNCERTAIN },
  '3': PERMISSION,
  '4': THROTTLED,
  '10': PERMISSION,
  '17': THROTTLED,
  '100': refused('A part of the request is invalid.', 'Check GRAPH_VERSION and the identifiers in the settings.'),
  '100/33': refused(
    'Unknown identifier, missing access, or unsupported operation.',
    'Messages use GRAPH_PHONE_NUMBER_ID, number lists GRAPH_BUSINESS_ACCOUNT_ID, page lists GRAPH_USER_ID. Check that each id is in its own setting. Check the permissions of the token.',
  ),
  '190': TOKEN,
  '190/458': badToken('The permissions of the app were revoked.'),
  '190/463': badToken('The access token has expired.'),
  '190/467': badToken('The access token was revoked.'),
  '368': refused(
    'The account is temporarily blocked because of its messages.',
    "Check the account's quality page. Other channels are not affected.",
  ),
  '2500': refused(
    'The path has a part that the service does not know.',
    'Check GRAPH_VERSION and GRAPH_URL. Write GRAPH_URL without a version.',
  ),
  '80007': THROTTLED,
  '130429': THROTTLED,
  '131008': refused('A part of the request is missing.'),
  '131009': refused('A value of the request is not allowed.'),
  '131021': refused('The recipient is the sender.', 'Choose another recipient.'),
  '131026': refused(
    'The service cannot deliver the message: the number has no account or did not accept the terms.',
    'Check the number, or use another channel.',
  ),
  '131030': refused(
    'This test sender may not write to the recipient.',
    'Add the number to the allowed recipients in the settings of the app.',
  ),
  '131047': refused(
    'The recipient has not written for 24 hours, so free text is not allowed.',
    'Set graph.templates. Until then, ask the recipient to write to this sender, or use another channel.',
  ),
  '131048': refused(
    'The sender is limited because recipients reported its messages.',
    'Check the quality rating. Run pacekeeper graph phone-numbers.',
  ),
  '131056': {
    meaning: 'Too many messages from this sender to this recipient. The service did not process this one.',
    nextStep: WAIT_STEP,
    ...REFUSED_FOR_NOW,
    pauseMs: PAIR_PAUSE_MS,
  },
  '131049': refused(
    'The service limits how many messages of businesses this recipient gets.',
    'Use a template of the category utility. Until tomorrow, use another channel.',
  ),
  '132000': refused('The template has another number of variables.', CHECK_FIELDS),
  '132001': refused('The template does not exist in this language, or is not approved.', CHECK_TEMPLATE),
  '132005': refused('With its variables filled in, the template is too long.', CHECK_FIELDS),
  '132007': refused('The content of the template breaks a rule of the service.', CHECK_TEMPLATE),
  '132012': refused('A variable of the template has the wrong form.', CHECK_FIELDS),
  '132015': refused('The template is paused because of its low quality.', CHECK_TEMPLATE),
  '132016': refused('The template is disabled because of its low quality.', CHECK_TEMPLATE),
  '132018': refused('A variable of the template is empty or has several lines.', CHECK_FIELDS),
  '133010': refused('The sender is not registered.', 'Register the number of the sender with the provider.'),
};

export function explainGraphCode(code: number, subcode?: number): GraphErrorMeaning | undefined {
  const exact = subcode === undefined ? undefined : GRAPH_CODES[`${code}/${subcode}`];
  return exact ?? GRAPH_CODES[String(code)] ?? (code >= 200 && code <= 299 ? PERMISSION : undefined);
}
