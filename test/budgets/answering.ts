import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import type { BudgetDeps, CrashPoint } from '../../src/engine/budgets/budget-deps.ts';
import type { AdsConnection } from '../../src/services/ads/ads-connection.ts';
import type { HttpAnswer, HttpRequest } from '../../src/services/http/http-client.ts';
import { connectTo } from '../apis/ads/ads-client.ts';
import { fakePauses } from '../support/fake-time.ts';
import { toldLog } from '../support/told-log.ts';

/** What the service answers to a request: a status with a body, or what the client throws. */
export type Said = readonly [status: number, body: unknown] | Error;

/** A send path whose service is a list of answers, without sockets; the last one is given again and again. */
export interface Answering {
  readonly deps: BudgetDeps;
  /** The requests that left: their kind and the budgets they name. */
  readonly asked: string[];
  readonly passed: CrashPoint[];
  readonly warned: readonly string[];
}

export function answering(answers: readonly Said[], other: Partial<BudgetDeps> = {}): Answering {
  const asked: string[] = [];
  const passed: CrashPoint[] = [];
  const warned: string[] = [];
  const left = [...answers];
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    asked.push(nameOf(request));
    const said = left.length > 1 ? left.shift() : left[0];
    if (said === undefined) throw new Error(`Nobody answers ${request.url}.`);
    if (said instanceof Error) throw said;
    const [status, body] = said;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: { 'content-type': 'application/json' }, body: pieces(text), discard: () => undefined };
  };
  const http = { send, close: async () => undefined };
  const tokens = { token: async () => 'token', renew: async () => false };
  const log = toldLog({ warn: (line) => warned.push(line) });
  const ads: AdsConnection = { ...connectTo('http://service.invalid', { http, tokens, log }), pauses: fakePauses() };
  const deps = {
    ads,
    log,
    frozen: async () => undefined,
    declared: () => new Map(),
    locale: () => undefined,
    readLagMs: 0,
    passes: (point: CrashPoint) => void passed.push(point),
    ...other,
  };
  return { deps: deps as unknown as BudgetDeps, asked, passed, warned };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function nameOf({ url, body }: HttpRequest): string {
  const { validateOnly, operations } = JSON.parse(body ?? '{}');
  if (!url.endsWith(':mutate')) return 'read';
  const ids = operations.map(({ update }: { update: { resourceName: string } }) =>
    update.resourceName.split('/').at(-1),
  );
  return `${validateOnly ? 'validate' : 'mutate'} ${ids.join(' ')}`;
}

/** Changes of the budgets with these numbers. */
export const changesOf = (...ids: number[]) =>
  ids.map((id) => ({ budget: budgetId(`${id}`), amount: micros(34_000_000n) }));

type ErrorCode = Readonly<Record<string, string>>;

/** A partial failure that names these operations. */
export function refusing(errorCode: ErrorCode, ...indexes: number[]): Said {
  return refusingEach(Object.fromEntries(indexes.map((index) => [index, errorCode])));
}

/** A partial failure with an error of its own for each operation. */
export function refusingEach(codes: Readonly<Record<number, ErrorCode>>): Said {
  const errors = Object.entries(codes).map(([index, errorCode]) => ({
    errorCode,
    message: 'Not this one.',
    location: { fieldPathElements: [{ fieldName: 'operations', index: Number(index) }] },
  }));
  const details = [{ '@type': 'type.googleapis.com/google.ads.GoogleAdsFailure', errors }];
  return [200, { partialFailureError: { code: 3, message: 'Some failed.', details } }];
}

/** The service shows budgets with these amounts, micros; budget 201 is that of campaign 21. */
export function showingAll(amounts: Readonly<Record<number, string>>, status = 'ENABLED'): Said {
  const results = Object.entries(amounts).map(([id, amountMicros]) => ({
    campaign: { id: `${Number(id) - 180}`, campaignBudget: `customers/1234567890/campaignBudgets/${id}` },
    campaignBudget: { id, amountMicros, status },
  }));
  return [200, [{ results }]];
}

/** The service shows budget 201 with this amount, micros. */
export const showing = (amountMicros: string): Said => showingAll({ 201: amountMicros });

/** The service has changed the budgets with these numbers. */
export const made = (...ids: number[]): Said => [
  200,
  { results: ids.map((id) => ({ resourceName: `customers/1234567890/campaignBudgets/${id}` })) },
];

/** When nobody may change a budget, with the code and the sentence that a person gets. */
export const WHEN_NOBODY_MAY: readonly [string, Partial<BudgetDeps>, code: string, reason: string][] = [
  ['while budgets are frozen', { frozen: async () => 'frozen' }, 'FROZEN', 'Budget changes are frozen.'],
  [
    'when it is asked to stop',
    { stop: AbortSignal.abort() },
    'STOPPED',
    'The run was asked to stop before the request was sent.',
  ],
];
