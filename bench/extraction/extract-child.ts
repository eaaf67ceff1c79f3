import { customerId } from '../../src/domain/ids.ts';
import { systemPauses } from '../../src/engine/process-time.ts';
import { extractSlice } from '../../src/engine/read/extract-slice.ts';
import { queryFingerprint } from '../../src/language/gaql/check/query-for-range.ts';
import { createTokenSource } from '../../src/services/ads/access-token.ts';
import type { AdsConnection } from '../../src/services/ads/ads-connection.ts';
import { ServiceTime } from '../../src/services/ads/service-time.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { startRun } from '../../src/storage/records/runs/run-table.ts';
import { insertSlices } from '../../src/storage/records/runs/slice-table.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { toldLog } from '../../test/support/told-log.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER, daysOf, noonMs } from '../query.ts';
import { checkStore, openStore } from '../store.ts';
import type { LoadJob } from './response.ts';

/** `extract-child.js JOB`: the product's own path, one slice, wired as the product wires it. */
const job = readJob<LoadJob>();
const nowMs = noonMs(job.window.today);
const clock = { now: () => nowMs };
const query = benchQuery();
const state = await openStore(job.database);
const http = createHttpClient();
try {
  await ensureQueryTable(state, query);
  const runId = await startRun(state.db, {
    command: 'bench',
    target: 'bench',
    targetKind: 'sandbox',
    mode: 'bench',
    dryRun: false,
    nowMs,
  });
  const ads = connect();
  const about = { runId, query: query.name, queryText: queryFingerprint(query), customerId: customerId(CUSTOMER) };
  const [planned] = await insertSlices(state.db, [{ ...about, expected: true, days: daysOf(job.window) }]);
  if (planned === undefined) throw new Error('The slice was not planned.');
  const calendar = { timeZone: 'America/Los_Angeles', closesAt: '03:00', settleDays: 0 };
  const slice = { ...planned, query, text: query.text, holdsOn: undefined, calendar };
  await measure(
    async () => void (await extractSlice({ state, ads, clock }, slice)),
    () => checkStore(state, query, job.expected),
  );
} finally {
  await http.close();
  await state.close();
}

function connect(): AdsConnection {
  const retry = { attempts: 1, firstDelayMs: 0, totalMs: 0 };
  const redact = createRedact([]);
  const deps = { http, pauses: systemPauses, redact, retry };
  const tokens = createTokenSource({ kind: 'access_token', accessToken: 'bench' }, deps);
  const place = { url: job.url, version: 'v25', streamPath: 'googleAds:searchStream', responseContentType: undefined };
  const log = toldLog();
  const fresh = { log, logins: new Map(), operations: { count: 0 }, time: new ServiceTime(clock) };
  return { ...deps, ...place, ...fresh, tokens, developerToken: 'bench', loginCustomerId: undefined };
}
