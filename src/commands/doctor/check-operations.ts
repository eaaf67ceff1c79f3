import { type AppDeps, open } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { ACCESS_LEVELS, dailyOperations } from '../../domain/connection-settings.ts';
import { customerId } from '../../domain/ids.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import { inputsNow } from '../../engine/load-inputs.ts';
import { type Forecast, forecastOperations } from '../../engine/read/forecast-operations.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';
import { count } from '../../views/text/text-layout.ts';
import { listAccounts } from '../accounts/run-accounts.ts';
import type { Check } from './doctor-view.ts';

const { ok, warning, missing } = checksOf('work');

/** Changes of budgets and retries need the rest. */
const FORECAST_PERCENT_MAX = 90;

/** Compares `ads.access` with the runs of the next 24 hours. Before the first run, `ads` lists the accounts. */
export async function checkOperations(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  ads: AdsConnection | undefined,
): Promise<Check[]> {
  const forecast = await forecastOf(settings, deps, ads);
  if (forecast === undefined) return [];
  const { operations, accounts, runs } = forecast;
  const name = 'operations';
  const { access } = settings.ads;
  const limit = dailyOperations(access);
  const of = `${count(runs, 'run')}, ${count(accounts, 'account')}`;
  const found = `the next 24 hours need about ${count(operations, 'operation')} (${of}), and more for changes`;
  if (limit === undefined) {
    const expected = access === undefined ? 'ads.access, if the service limits operations' : 'no limit (ads.access)';
    if (access !== undefined || operations <= ACCESS_LEVELS.explorer) return [ok(name, { found, expected })];
    return [missing(name, { found, expected, nextStep: 'Set ads.access to the level of your cloud project.' })];
  }
  const most = Math.floor((limit * FORECAST_PERCENT_MAX) / 100);
  const expected = `at most ${most.toLocaleString('en-US')}, ${FORECAST_PERCENT_MAX}% of ads.access (${limit.toLocaleString('en-US')})`;
  if (operations <= most) return [ok(name, { found, expected })];
  const nextStep = 'Ask for a higher access level (docs/go-live.md), or read fewer accounts, days or times a day.';
  return [warning(name, { found, expected, nextStep })];
}

/** Undefined if no account is known. */
async function forecastOf(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
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
