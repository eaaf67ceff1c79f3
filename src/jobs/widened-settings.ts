import type { App } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import { parseJson } from '../domain/parse-json.ts';
import { canonicalJson } from '../store/canonical-json.ts';
import { appendEvent } from '../store/event-table.ts';
import { lastBounds, noteBounds } from '../store/run-table.ts';

/** How far settings let budgets be changed, by their names; what is not bounded is not there. Amounts are micros as text. */
type Bounds = Readonly<Record<string, string>>;

const ONLY = 'ads.customer_ids';
const EXCLUDED = 'ads.exclude_customer_ids.';
const MODES = ['propose', 'approve', 'apply'];

/** The settings that say what a run may change. */
function boundsOf({ automation, accounts, ads: { customerIds, excludeCustomerIds } }: Settings): Bounds {
  const totals = [...accounts].flatMap(([id, { dailyTotal, dailyExposure }]) => [
    ...(dailyTotal === undefined ? [] : [[`accounts.${id}.daily_total`, String(dailyTotal)]]),
    ...(dailyExposure === undefined ? [] : [[`accounts.${id}.daily_exposure`, String(dailyExposure)]]),
  ]);
  return Object.fromEntries([
    ['automation.mode', automation.mode],
    ['automation.changes_per_run', String(automation.changesPerRun)],
    ...totals,
    ...(customerIds.length === 0 ? [] : [[ONLY, customerIds.toSorted().join()]]),
    ...excludeCustomerIds.map((id) => [`${EXCLUDED}${id}`, 'excluded']),
  ]);
}

/**
 * Writes down how far this run may go. Where settings let more be changed than those of the run before, an event of the record
 * says which.
 */
export async function noteWidened({ state, settings, clock }: App, runId: bigint): Promise<void> {
  const now = boundsOf(settings);
  await state.db.transaction().execute(async (trx) => {
    const known = await lastBounds(trx, runId);
    await noteBounds(trx, runId, canonicalJson(now));
    if (known === undefined) return;
    const before = parseJson(known) as Bounds;
    const changes = Object.keys(before).filter((name) => isWider(name, before[name], now[name]));
    if (changes.length === 0) return;
    const settings = changes.map((name) => ({ setting: name, before: before[name], now: now[name] ?? null }));
    await appendEvent(trx, { kind: 'settings_widened', actor: 'pacekeeper', detail: { settings } }, clock.now());
  });
}

/** A bound that is gone lets everything pass. */
function isWider(name: string, before = '', now: string | undefined): boolean {
  if (now === undefined) return true;
  if (name === 'automation.mode') return MODES.indexOf(now) > MODES.indexOf(before);
  if (name === ONLY) return now.split(',').some((id) => !before.split(',').includes(id));
  if (name.startsWith(EXCLUDED)) return false;
  return BigInt(now) > BigInt(before);
}
