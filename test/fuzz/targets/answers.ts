import { diagnosePages } from '../../../src/channels/graph/diagnose-pages.ts';
import { listPhoneNumbers } from '../../../src/channels/graph/phone-numbers.ts';
import { sendText } from '../../../src/channels/graph/send-text.ts';
import { findMessage } from '../../../src/channels/messages/find-message.ts';
import { sendMessage } from '../../../src/channels/messages/send-message.ts';
import { ApiError } from '../../../src/domain/errors.ts';
import { budgetId, businessAccountId, customerId, graphUserId, phoneNumberId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import type { Log } from '../../../src/domain/ports.ts';
import type { AdsConnection } from '../../../src/services/ads/ads-connection.ts';
import { generateKeywordIdeas } from '../../../src/services/ads/generate-keyword-ideas.ts';
import { listAccessibleCustomers } from '../../../src/services/ads/list-accounts.ts';
import { type MutationOutcome, mutateBudgets } from '../../../src/services/ads/mutate-budgets.ts';
import { searchStream } from '../../../src/services/ads/search-stream.ts';
import { ServiceTime } from '../../../src/services/ads/service-time.ts';
import { logIn } from '../../../src/services/container/session.ts';
import type { HttpClient } from '../../../src/services/http/http-client.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { fakeClock, fakePauses } from '../../support/fake-time.ts';
import { claim, type Target } from '../target.ts';

/** What the services were sent and may repeat. */
export const SECRET_SENT = 'EAAG-secret-token-9z9Q';
const NUMBER = '4915112345678';
const URL_OF_ALL = 'http://service.example';
const CUSTOMER = customerId('1234567890');
const BUDGETS = [budgetId('201'), budgetId('202')];
const QUIET: Log = { info: () => undefined, step: () => undefined, warn: () => undefined, with: () => QUIET };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A service that says the same to whatever it is asked. */
function saying({ status, headers, text }: Answer): HttpClient {
  async function* body() {
    yield Buffer.from(text);
  }
  return {
    send: async () => ({ status, headers, body: body(), discard: () => undefined }),
    close: async () => undefined,
  };
}

function basicsFor(answer: Answer) {
  const retry = { attempts: 2, firstDelayMs: 1_000, totalMs: 60_000 };
  return {
    url: URL_OF_ALL,
    http: saying(answer),
    pauses: fakePauses(),
    redact: createRedact([SECRET_SENT]),
    retry,
    log: QUIET,
  };
}

function adsFor(answer: Answer): AdsConnection {
  return {
    ...basicsFor(answer),
    version: 'v21',
    streamPath: 'googleAds:searchStream',
    responseContentType: undefined,
    developerToken: undefined,
    loginCustomerId: undefined,
    logins: new Map(),
    operations: { count: 0 },
    time: new ServiceTime({ now: Date.now }),
    tokens: { token: async () => SECRET_SENT, renew: async () => false },
  };
}

function graphFor(answer: Answer) {
  return {
    ...basicsFor(answer),
    version: 'v23.0',
    accessToken: SECRET_SENT,
    tokenIn: 'header' as const,
    appSecret: undefined,
    businessAccountId: undefined,
    phoneNumberId: undefined,
    userId: undefined,
    templates: new Map(),
    buttons: false,
    phonesWroteAt: undefined,
  };
}

function messagesFor(answer: Answer) {
  return {
    ...basicsFor(answer),
    accountId: 'AC1',
    username: 'user',
    password: SECRET_SENT,
    from: 'whatsapp:+15550100001',
    media: 'refuse' as const,
    templates: new Map(),
    phonesWroteAt: undefined,
  };
}

/** What is asked of the services; each ends in a value or in an `ApiError`. */
export const ASKS = {
  mutate: (ads: AdsConnection, _text: string): Promise<MutationOutcome[]> =>
    mutateBudgets(
      ads,
      CUSTOMER,
      BUDGETS.map((budget) => ({ budget, amount: micros(1_000_000n) })),
      { validateOnly: false },
    ),
};

const OTHERS: readonly ((answer: Answer) => Promise<unknown>)[] = [
  async (answer) => {
    const query = 'SELECT campaign.id FROM campaign';
    for await (const piece of searchStream(adsFor(answer), CUSTOMER, query, Number.POSITIVE_INFINITY))
      JSON.stringify(piece);
  },
  (answer) => listAccessibleCustomers(adsFor(answer)),
  (answer) => generateKeywordIdeas(adsFor(answer), CUSTOMER, {} as never),
  (answer) => sendText(graphFor(answer), { from: phoneNumberId('106540352242922'), to: NUMBER, body: 'a' }),
  (answer) => listPhoneNumbers(graphFor(answer), businessAccountId('102290129340398')),
  (answer) => diagnosePages(graphFor(answer), graphUserId('100001234567890')),
  (answer) => sendMessage(messagesFor(answer), { to: `whatsapp:+${NUMBER}`, body: 'a' }),
  (answer) =>
    findMessage(messagesFor(answer), {
      to: `whatsapp:+${NUMBER}`,
      reference: 'ref-1',
      sinceMs: Date.UTC(2026, 10, 22),
    }),
  (answer) =>
    logIn({
      ...basicsFor(answer),
      username: 'admin',
      password: SECRET_SENT,
      tokenHeader: 'Authorization',
      clock: fakeClock('2026-11-22T12:00:00Z'),
    }),
];

/** The answers of all services, hostile: the first line is the status and a Retry-After, the rest is the body. */
export function answersTarget(asks: typeof ASKS = ASKS): Target {
  return {
    name: 'answers',
    tokens: [
      ...'"error":{ "code":131047 "message":" "details":[ "errors":['.split(' '),
      '"location":{"fieldPathElements":[{"fieldName":"operations","index":1}]}',
      ...'"partialFailureError":{ "results":[ "resourceName":"customers/1234567890/campaignBudgets/201"'.split(' '),
      ...'"nextPageToken":"a" "next_page_uri":" "paging":{"next":" "messages":['.split(' '),
      ...'"sid":"SM0123456789abcdef0123456789ABCDEF" "status":"queued" "users":[{"token":"t" "data":['.split(' '),
      '<html>',
      '"expires_after":"2021-09-14 15:29:26+00:00"',
      `+${NUMBER}`,
      NUMBER,
      SECRET_SENT,
      ...'"retryDelay":"30s" "quotaErrorDetails":{ 1e999 -1 "__proto__":{'.split(' '),
      '200\n',
      '429 30\n',
      '503\n',
      '401\n',
      '404\n',
    ],
    seeds: () => [
      '200\n[{"results":[{"campaign":{"id":"1"}}],"requestId":"r"}]',
      '200\n{"results":[{"resourceName":"customers/1234567890/campaignBudgets/201"},{"resourceName":"customers/1234567890/campaignBudgets/202"}]}',
      '200\n{"partialFailureError":{"code":3,"message":"m","details":[{"errors":[{"errorCode":{"a":"B"},"message":"no","location":{"fieldPathElements":[{"fieldName":"operations","index":1}]}}]}]},"results":[{"resourceName":"customers/1234567890/campaignBudgets/201"},{}]}',
      '429 30\n{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"errors":[{"details":{"quotaErrorDetails":{"retryDelay":"30s"}}}]}]}}',
      `400\n{"error":{"message":"to ${NUMBER} with ${SECRET_SENT}","type":"OAuthException","code":131047,"error_data":{"details":"d"},"fbtrace_id":"A"}}`,
      '200\n{"messages":[{"id":"wamid.A"}],"data":[{"id":"1","access_token":"t","name":"n"}],"paging":{"cursors":{"after":"a"},"next":"http://service.example/n"}}',
      '200\n{"messages":[{"sid":"SM0123456789abcdef0123456789ABCDEF","status":"queued","body":"ref-1","error_code":null}],"next_page_uri":"/n"}',
      '200\n{"users":[{"token":"t0ken","expires_after":"2021-09-14 15:29:26+00:00"}],"meta":{"version":"v2"},"resourceNames":["customers/1"]}',
      '503\n<html>down</html>',
    ],
    async judge(input) {
      const whole = input.toString('utf8');
      const [, status = '200', pause = '', text = ''] = /^(\d{3})(?: ([^\n]*))?\n([\s\S]*)$/.exec(whole) ?? [
        '',
        '200',
        '',
        whole,
      ];
      const answer = {
        status: Number(status),
        headers: pause === '' ? {} : { 'retry-after': pause, date: 'Sun, 22 Nov 2026 12:00:00 GMT' },
        text,
      };
      await claimMutation(() => asks.mutate(adsFor(answer), text), answer);
      for (const ask of OTHERS) {
        try {
          await ask(answer);
        } catch (error) {
          claimFailure(error);
        }
      }
    },
  };
}

/** A change is made only where the answer's own slot names its budget, or where the answer says nothing at all. */
async function claimMutation(ask: () => Promise<MutationOutcome[]>, { status, text }: Answer): Promise<void> {
  try {
    const outcomes = await ask();
    claim(status >= 200 && status < 300, () => 'A refusal is taken for an answer');
    const said = (text.trim() === '' ? {} : JSON.parse(text)) as {
      readonly results?: readonly { resourceName?: string }[];
    };
    for (const [index, budget] of BUDGETS.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === 'failed') claimFailure(outcome.error);
      if (outcome?.kind !== 'accepted' || said.results === undefined) continue;
      claim(
        said.results[index]?.resourceName === `customers/${CUSTOMER}/campaignBudgets/${budget}`,
        () => `A change is taken for made: ${budget}`,
      );
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'Finding') throw error;
    claimFailure(error);
  }
}

function claimFailure(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  const { message, status, requestId = '', nextStep = '', details, retryAfterMs } = error;
  claim(message.trim() !== '' && status !== '', () => 'A failure without words');
  const told = [message, status, requestId, nextStep, ...details.flatMap((detail) => Object.values(detail))].join('\n');
  claim(!told.includes(SECRET_SENT), () => `A secret is repeated: ${told}`);
  claim(
    retryAfterMs === undefined || (retryAfterMs > 0 && retryAfterMs <= 86_400_000),
    () => `A pause that is none: ${retryAfterMs}`,
  );
}
