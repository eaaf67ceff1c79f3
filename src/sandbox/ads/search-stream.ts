import { addDays, civilDateAt, startOfDayMs } from '../../domain/civil-date.ts';
import type { CheckedQuery } from '../../language/gaql/check/check-query.ts';
import { resultPath } from '../../language/gaql/check/column.ts';
import { patternFault } from '../../language/gaql/check/pattern-fault.ts';
import type { Account, Moment } from '../market/market.ts';
import { JSON_TYPE, jsonReply, type Reply } from '../reply.ts';
import type { AdsCall, AdsService } from '../service.ts';
import { adsError, adsErrorBody, adsFailure } from './ads-errors.ts';
import { executeQuery } from './execute-query.ts';
import { readQuery, refuseQuery } from './read-query.ts';

const BATCH_ROWS_MAX = 10_000;

export function searchStream(service: AdsService, call: AdsCall): Reply {
  const reading = readQuery(service, call, patternFault);
  if (reading.kind === 'refused') return refuseQuery(call, reading.failures);
  const { query, catalogue } = reading;
  const { account } = call;
  const rows = executeQuery({
    query,
    catalogue,
    account,
    market: service.market,
    links: service.tree.below(call.client),
    changes: query.resource === 'change_event' ? service.store.changesOf(account) : [],
    resourceNames: !service.strict && !omitsResourceNames(query),
    moment: momentOf(service, account),
    budgetNow: (budget) => ({
      amountNow: service.store.amountNow(account, budget),
      removed: service.store.isRemoved(account.customerId, budget.id),
      total: service.store.totalOf(account.customerId, budget.id),
    }),
    statusNow: ({ id, status }) => service.store.campaignStatus(account.customerId, id) ?? status,
  });
  const fieldMask = query.tree.select.map(({ name }) => resultPath(name).join('.')).join(',');
  const rest = service.strict ? '' : `"fieldMask":${JSON.stringify(fieldMask)},"requestId":"${call.requestId}"`;
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE, 'request-id': call.requestId },
    body: { kind: 'batches', batches: batchesOf(rows, rest), errorElement: brokenStream(call) },
  };
}

function omitsResourceNames({ tree }: CheckedQuery): boolean {
  return tree.parameters.some(
    ({ name, value }) => name === 'omit_unselected_resource_names' && value.text.toLowerCase() === 'true',
  );
}

function momentOf({ clock, store }: AdsService, account: Account): Moment {
  const now = clock.now();
  const today = civilDateAt(now, account.timeZone);
  const startMs = startOfDayMs(today, account.timeZone);
  const endMs = startOfDayMs(addDays(today, 1), account.timeZone);
  return { today, elapsedShare: (now - startMs) / (endMs - startMs), amountOn: store.amountsByDay(account) };
}

/** Yields one batch even if there are no rows. */
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

/** Only `validateOnly` is supported. An empty answer means a valid query. */
export function validateQuery(service: AdsService, call: AdsCall): Reply {
  if (call.body.validateOnly !== true) {
    return adsError(
      'INVALID_ARGUMENT',
      'The sandbox does not page results. Use googleAds:searchStream, or validateOnly.',
    );
  }
  const reading = readQuery(service, call, patternFault);
  if (reading.kind === 'refused') return refuseQuery(call, reading.failures);
  return jsonReply(200, {}, { 'request-id': call.requestId });
}
