import { addDays, civilDateAt, startOfDayMs } from '../domain/civil-date.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { PUBLIC_CATALOGUE, SPECIFICATION_CATALOGUE } from '../gaql/catalogue/catalogue.ts';
import { checkQuery } from '../gaql/check/check-query.ts';
import { resultPath } from '../gaql/check/column.ts';
import { parseQuery } from '../gaql/syntax/parse-query.ts';
import { type AdsFailureItem, adsErrorBody, adsFailure } from './ads-errors.ts';
import { executeQuery } from './execute-query.ts';
import type { Account, Moment } from './market.ts';
import { JSON_TYPE, jsonReply, type Reply } from './reply.ts';
import type { AdsCall, Service } from './service.ts';

const BATCH_ROWS_MAX = 10_000;

/** Runs a reporting query over the market; a bad one is answered with every reason, wrapped in an array. */
export function searchStream(service: Service, call: AdsCall): Reply {
  const { query } = call.body;
  if (typeof query !== 'string') {
    return refuse(call, [
      queryFailure('QUERY_ERROR', `Found ${typeof query} as "query", expected the text of a query.`),
    ]);
  }
  const catalogue = service.strict ? SPECIFICATION_CATALOGUE : PUBLIC_CATALOGUE;
  const parsed = parseQuery(query);
  const checked = checkQuery(parsed.tree, catalogue, parsed.diagnostics.length === 0);
  if (checked.query === undefined) {
    const errors = [...parsed.diagnostics, ...checked.diagnostics].filter(({ severity }) => severity === 'error');
    return refuse(call, errors.map(failureOf));
  }
  const { account } = call;
  const rows = executeQuery({
    ...{ query: checked.query, catalogue, account, market: service.market, resourceNames: !service.strict },
    moment: momentOf(service, account),
    amountNow: (budget) => service.store.amountNow(account, budget),
  });
  const fieldMask = checked.query.tree.select.map(({ name }) => resultPath(name).join('.')).join(',');
  const rest = service.strict ? '' : `"fieldMask":${JSON.stringify(fieldMask)},"requestId":"${call.requestId}"`;
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE, 'request-id': call.requestId },
    body: { kind: 'batches', batches: batchesOf(rows, rest), errorElement: brokenStream(call) },
  };
}

function momentOf({ clock, store }: Service, account: Account): Moment {
  const now = clock.now();
  const today = civilDateAt(now, account.timeZone);
  const startMs = startOfDayMs(today, account.timeZone);
  const endMs = startOfDayMs(addDays(today, 1), account.timeZone);
  return { today, elapsedShare: (now - startMs) / (endMs - startMs), amountOn: store.amountsByDay(account) };
}

/** `{"results":[…],REST}`; without rows one batch, which has no results but where the specification asks for them. */
function* batchesOf(rows: Iterable<string>, rest: string): Generator<string> {
  const batch = (list: readonly string[]) => `{"results":[\n${list.join(',\n')}\n]${rest === '' ? '' : `,${rest}`}}`;
  let pending: string[] = [];
  let sent = false;
  for (const row of rows) {
    pending.push(row);
    if (pending.length < BATCH_ROWS_MAX) continue;
    yield batch(pending);
    pending = [];
    sent = true;
  }
  if (pending.length > 0) yield batch(pending);
  else if (!sent) yield rest === '' ? '{"results":[]}' : `{${rest}}`;
}

function refuse(call: AdsCall, errors: readonly AdsFailureItem[]): Reply {
  const failure = adsFailure(call.version, call.requestId, errors);
  const body = adsErrorBody('INVALID_ARGUMENT', 'Request contains an invalid argument.', [failure]);
  return jsonReply(400, [body], { 'request-id': call.requestId });
}

function failureOf({ code, message, hint, span }: Diagnostic): AdsFailureItem {
  const place = `line ${span.start.line}, column ${span.start.column}`;
  return queryFailure(code, `${message}${hint === undefined ? '' : ` ${hint}`} (${place})`);
}

function queryFailure(code: string, message: string): AdsFailureItem {
  return { errorCode: { queryError: code }, message, location: { fieldPathElements: [{ fieldName: 'query' }] } };
}

function brokenStream({ version, requestId }: AdsCall): string {
  const failure = adsFailure(version, requestId, [
    {
      errorCode: { internalError: 'INTERNAL_ERROR' },
      message: 'An internal error has occurred.',
      location: { fieldPathElements: [{ fieldName: 'query' }] },
    },
  ]);
  return JSON.stringify(adsErrorBody('INTERNAL', 'Internal error encountered.', [failure]));
}
