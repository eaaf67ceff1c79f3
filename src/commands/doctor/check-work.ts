import { open } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { scheduleStanding } from '../../dashboard/status/schedule-standing.ts';
import { isTimeZone } from '../../domain/civil-date.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { unknownInSettings } from '../../engine/accounts/unknown-names.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';
import { newestDecidingRun } from '../../storage/records/runs/coverage-table.ts';
import { type PastRun, pastRun } from '../../storage/records/runs/run-history.ts';
import { count, firstOf } from '../../views/text/text-layout.ts';
import type { Check } from './doctor-view.ts';

const { ok, warning, missing, failed } = checksOf('work');

const HOUR_MS = 3_600_000;
/** One day, plus two hours for the run itself. */
const RECENT_HOURS = 26;
const NAMED_MAX = 5;

export async function checkRuns(
  settings: Settings,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<Check[]> {
  const engine = await engineOf(settings);
  if ((await engine.forgottenPast()) !== undefined) return [];
  if (!(await engine.hasRecords())) return [noRun()];
  return open(settings, deps, { what: 'state', readOnly: true }, async ({ state: { db } }) => {
    const id = await newestDecidingRun(db);
    const run = id === undefined ? undefined : await pastRun(db, id);
    const accounts = await allAccounts(db);
    return [
      run ? checkRun(run, deps.clock.now()) : noRun(),
      ...checkZones(accounts, settings),
      ...checkAccountSettings(accounts, settings),
    ];
  });
}

export function checkSchedule(settings: Settings, nowMs: number): Check {
  const { holder, jobs } = scheduleStanding(settings, nowMs);
  const expected = 'a running pacekeeper schedule, or a timer that runs it with --once';
  const name = 'schedule';
  if (jobs.length === 0) {
    return missing(name, {
      found: 'no jobs',
      expected: 'jobs in pacekeeper.yaml',
      nextStep: 'Add "schedule" to pacekeeper.yaml (docs/schedule.md has an example).',
    });
  }
  const nextStep = 'Start pacekeeper schedule (docs/schedule.md), or use cron.';
  if (holder === undefined)
    return missing(name, {
      found: `${count(jobs.length, 'job')}, but pacekeeper schedule is not running`,
      expected,
      nextStep,
    });
  const who = `process ${holder.pid} on ${holder.host}`;
  if (holder.state === 'keeping') {
    const next = jobs
      .flatMap(({ next, name }) => (next === undefined ? [] : [{ next, name }]))
      .toSorted((a, b) => (a.next < b.next ? -1 : 1))[0];
    return ok(name, {
      found: `run by ${who}${next === undefined ? '' : `, next job: ${next.name} at ${next.next}`}`,
      expected,
    });
  }
  const what = holder.state === 'gone' ? 'has ended' : 'did not report in time';
  return failed(name, {
    found: `${who} ran the schedule, and ${what}`,
    expected,
    nextStep: 'Look for the reason in its log. Then start pacekeeper schedule again.',
  });
}

function noRun(): Check {
  return missing('last report', {
    found: 'none yet',
    expected: 'one per day',
    nextStep: 'Run pacekeeper report --dry-run, then pacekeeper report.',
  });
}

function checkRun({ state, startedAt, error }: PastRun, nowMs: number): Check {
  const hours = Math.floor((nowMs - Date.parse(startedAt)) / HOUR_MS);
  const expected = `a report done at most ${RECENT_HOURS} hours ago`;
  const reason = error === undefined ? '' : `: ${error.split('\n')[0]}`;
  const facts = { found: `${state}, ${startedAt}${reason}`, expected };
  if (state !== 'done' && state !== 'running') {
    const action = state === 'stopped' ? 'Run' : 'Fix that problem, then run';
    return warning('last report', { ...facts, nextStep: `${action} pacekeeper report again.` });
  }
  if (hours <= RECENT_HOURS) return ok('last report', facts);
  return warning('last report', {
    ...facts,
    nextStep: 'Run pacekeeper report. Let pacekeeper schedule or cron run it every day.',
  });
}

/** Rules skip an account without a time zone. */
function checkZones(accounts: readonly Account[], settings: Settings): Check[] {
  if (accounts.length === 0) return [];
  const zoneOf = ({ customerId, timeZone }: Account) => settings.accounts.get(customerId)?.timeZone ?? timeZone;
  const without = accounts.filter((account) => !isTimeZone(zoneOf(account) ?? ''));
  const expected = 'a time zone for every account';
  if (without.length === 0)
    return [ok('account zones', { found: `known for ${count(accounts.length, 'account')}`, expected })];
  const ids = firstOf(
    without.map(({ customerId }) => customerId),
    NAMED_MAX,
  );
  const example = `accounts: { ${without[0]?.customerId}: { time_zone: Europe/Berlin } }`;
  return [
    warning('account zones', {
      found: `not known for ${ids}`,
      expected,
      nextStep: `Set "${example}" in pacekeeper.yaml.`,
    }),
  ];
}

function checkAccountSettings(accounts: readonly Account[], settings: Settings): Check[] {
  const known = [...accounts.map(({ customerId }) => customerId), ...settings.ads.excludeCustomerIds];
  const unknown = accounts.length === 0 ? [] : unknownInSettings(settings, known);
  if (unknown.length === 0) return [];
  return [
    warning('account settings', {
      found: firstOf(unknown, NAMED_MAX),
      expected: 'ids of accounts that a run has read',
      nextStep: 'Correct the id in pacekeeper.yaml, or remove its settings.',
    }),
  ];
}
