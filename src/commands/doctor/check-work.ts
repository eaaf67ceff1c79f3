import { type AppDeps, open } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { scheduleStanding } from '../../dashboard/status/schedule-standing.ts';
import { isTimeZone, minuteText } from '../../domain/civil-date.ts';
import { ACCESS_LEVELS, dailyOperations } from '../../domain/connection-settings.ts';
import { customerId } from '../../domain/ids.ts';
import { unknownInSettings } from '../../engine/accounts/unknown-names.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { inputsNow } from '../../engine/load-inputs.ts';
import { deprecatedColumns } from '../../engine/publish-files.ts';
import { type Forecast, forecastOperations } from '../../engine/read/forecast-operations.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';
import { newestDecidingRun } from '../../storage/records/runs/coverage-table.ts';
import { type PastRun, pastRun } from '../../storage/records/runs/run-history.ts';
import { count, firstOf } from '../../views/text/text-layout.ts';
import { listAccounts } from '../accounts/run-accounts.ts';
import { type Check, checkIn } from './doctor-view.ts';

type Deps = Pick<AppDeps, 'clock' | 'log'>;

const check = checkIn('work');

const HOUR_MS = 3_600_000;
/** One day, plus two hours for the run itself. */
const RECENT_HOURS = 26;
const NAMED_MAX = 5;

export async function checkRuns(settings: Settings, deps: Deps): Promise<Check[]> {
  const engine = await engineOf(settings);
  if ((await engine.forgottenPast()) !== undefined) return [];
  if (!(await engine.hasRecords())) return [checkRun(undefined, deps.clock.now())];
  return open(settings, deps, { what: 'state', readOnly: true }, async ({ state }) => {
    const { db } = state;
    const id = await newestDecidingRun(db);
    const run = id === undefined ? undefined : await pastRun(db, id);
    const accounts = await allAccounts(db);
    const deprecated = await deprecatedColumns({ state, settings });
    return [checkRun(run, deps.clock.now()), ...checkAccounts(accounts, settings), ...checkColumns(deprecated)];
  });
}

function checkColumns(deprecated: readonly string[]): Check[] {
  if (deprecated.length === 0) return [];
  const advice = 'Change queries and reports that use them before the next version.';
  return [check('published columns', { found: firstOf(deprecated, NAMED_MAX), expected: 'none deprecated', advice })];
}

export function checkSchedule(settings: Settings, nowMs: number): Check {
  const { holder, jobs } = scheduleStanding(settings, nowMs);
  const of = (found: string, advice?: string, as: 'missing' | 'failed' = 'missing') =>
    check('schedule', {
      found,
      expected:
        jobs.length === 0
          ? 'jobs in pacekeeper.yaml'
          : 'a running pacekeeper schedule, or a timer that runs it with --once',
      advice,
      as,
    });
  if (jobs.length === 0) {
    return of('no jobs', 'Add "schedule" to pacekeeper.yaml (docs/schedule.md has an example).');
  }
  if (holder === undefined) {
    const advice = 'Start pacekeeper schedule (docs/schedule.md), or use cron.';
    return of(`${count(jobs.length, 'job')}, but pacekeeper schedule is not running`, advice);
  }
  const who = `process ${holder.pid} on ${holder.host}`;
  if (holder.state !== 'keeping') {
    const what = holder.state === 'gone' ? 'has ended' : 'did not report in time';
    const advice = 'Look for the reason in its log. Then start pacekeeper schedule again.';
    return of(`${who} ran the schedule, and ${what}`, advice, 'failed');
  }
  const [first] = jobs
    .flatMap(({ next, name }) => (next === undefined ? [] : [{ next, name }]))
    .toSorted((a, b) => (a.next < b.next ? -1 : 1));
  return of(`run by ${who}${first === undefined ? '' : `, next job: ${first.name} at ${minuteText(first.next)}`}`);
}

function checkRun(run: PastRun | undefined, nowMs: number): Check {
  if (run === undefined) {
    const advice = 'Run pacekeeper report --dry-run, then pacekeeper report.';
    return check('last report', { found: 'none yet', expected: 'one per day', advice, as: 'missing' });
  }
  const { state, startedAt, error } = run;
  const hours = Math.floor((nowMs - Date.parse(startedAt)) / HOUR_MS);
  const reason = error === undefined ? '' : `: ${error.split('\n')[0]}`;
  const action = state === 'stopped' ? 'Run' : 'Fix that problem, then run';
  const late = hours > RECENT_HOURS;
  return check('last report', {
    found: `${state}, ${minuteText(startedAt)}${reason}`,
    expected: `a report done at most ${RECENT_HOURS} hours ago`,
    advice:
      state !== 'done' && state !== 'running'
        ? `${action} pacekeeper report again.`
        : late
          ? 'Run pacekeeper report. Let pacekeeper schedule or cron run it every day.'
          : undefined,
  });
}

/** Rules skip an account without a time zone. */
function checkAccounts(accounts: readonly Account[], settings: Settings): Check[] {
  if (accounts.length === 0) return [];
  const ids = accounts.map(({ customerId }) => customerId);
  const zoneOf = ({ customerId, timeZone }: Account) => settings.accounts.get(customerId)?.timeZone ?? timeZone;
  const without = accounts.filter((account) => !isTimeZone(zoneOf(account) ?? '')).map((one) => one.customerId);
  const example = `accounts: { ${without[0]}: { time_zone: Europe/Berlin } }`;
  const unknown = unknownInSettings(settings, [...ids, ...settings.ads.excludeCustomerIds]);
  const zones = check('account zones', {
    found:
      without.length === 0
        ? `known for ${count(accounts.length, 'account')}`
        : `not known for ${firstOf(without, NAMED_MAX)}`,
    expected: 'a time zone for every account',
    advice: without.length === 0 ? undefined : `Set "${example}" in pacekeeper.yaml.`,
  });
  if (unknown.length === 0) return [zones];
  return [
    zones,
    check('account settings', {
      found: firstOf(unknown, NAMED_MAX),
      expected: 'ids of accounts that a run has read',
      advice: 'Correct the id in pacekeeper.yaml, or remove its settings.',
    }),
  ];
}

/** Changes of budgets and retries need the rest. */
const FORECAST_PERCENT_MAX = 90;

/** Compares `ads.access` with the runs of the next 24 hours. Before the first run, `ads` lists the accounts. */
export async function checkOperations(
  settings: Settings,
  deps: Deps,
  ads: AdsConnection | undefined,
): Promise<Check[]> {
  const forecast = await forecastOf(settings, deps, ads);
  if (forecast === undefined) return [];
  const { operations, accounts, runs } = forecast;
  const { access } = settings.ads;
  const limit = dailyOperations(access);
  const of = `${count(runs, 'run')}, ${count(accounts, 'account')}`;
  const found = `the next 24 hours need about ${count(operations, 'operation')} (${of}), and more for changes`;
  const name = 'operations';
  if (limit === undefined) {
    const expected = access === undefined ? 'ads.access, if the service limits operations' : 'no limit (ads.access)';
    const isFine = access !== undefined || operations <= ACCESS_LEVELS.explorer;
    const advice = isFine ? undefined : 'Set ads.access to the level of your cloud project.';
    return [check(name, { found, expected, advice, as: 'missing' })];
  }
  const most = Math.floor((limit * FORECAST_PERCENT_MAX) / 100);
  const expected = `at most ${most.toLocaleString('en-US')}, ${FORECAST_PERCENT_MAX}% of ads.access (${limit.toLocaleString('en-US')})`;
  const advice = 'Ask for a higher access level (docs/go-live.md), or read fewer accounts, days or times a day.';
  return [check(name, { found, expected, advice: operations <= most ? undefined : advice })];
}

/** Undefined if no account is known. */
async function forecastOf(
  settings: Settings,
  deps: Deps,
  ads: AdsConnection | undefined,
): Promise<Forecast | undefined> {
  const nowMs = deps.clock.now();
  const engine = await engineOf(settings);
  if ((await engine.forgottenPast()) !== undefined) return undefined;
  const inputs = await inputsNow(settings, nowMs);
  const recorded = (await engine.hasRecords())
    ? await open(settings, deps, { what: 'state', readOnly: true }, async ({ state: { db } }) => {
        const accounts = await allAccounts(db);
        return accounts.length > 0 ? forecastOperations(settings, inputs, accounts, db, nowMs) : undefined;
      })
    : undefined;
  if (recorded !== undefined || ads === undefined) return recorded;
  const accounts = (await listAccounts(settings, ads))
    .filter(({ manager, chosen, excluded, failure }) => !manager && chosen && !excluded && failure === undefined)
    .map((one): Account => ({ ...one, customerId: customerId(one.customerId), loginCustomerId: one.through }));
  return accounts.length > 0 ? forecastOperations(settings, inputs, accounts, undefined, nowMs) : undefined;
}
