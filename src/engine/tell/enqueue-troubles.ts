import { silenceMatches } from '../../alerts/silence-matches.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { decideNotification } from '../../language/rules/decide-notification.ts';
import {
  isAcknowledged,
  type NewAlert,
  notify,
  readAlert,
  recordCondition,
} from '../../storage/records/alerts/alert-table.ts';
import { activeSilences } from '../../storage/records/alerts/silence-table.ts';
import type { App } from '../app.ts';
import { proveBetweenRuns } from '../budgets/stop-where-unsound.ts';
import { lastNotification } from './condition-text.ts';
import { TROUBLES, type TroubleReading } from './troubles.ts';

export interface WatchedTrouble {
  readonly trouble: string;
  readonly firing: boolean;
  /** Undefined unless it fires. Redacted. */
  readonly text: string | undefined;
}

/**
 * Tells each trouble of the runs once, again while it lasts, and when it is over. Whoever watches is never the process that
 * failed. Several may watch at once, so a transaction reads what was told before it writes the alert. The second finds the
 * alert of the first. A look that fails, for example at a damaged file, must not hide the others.
 */
export async function enqueueTroubles(app: App): Promise<{
  readonly watched: readonly WatchedTrouble[];
  readonly failures: readonly string[];
}> {
  const watched: WatchedTrouble[] = [];
  const failures: string[] = [];
  const couldNotCheck = (name: string, error: unknown) => {
    failures.push(app.redact(`Could not check ${name}: ${error instanceof Error ? error.message : error}`));
    return 'unknown' as const;
  };
  for (const [name, look] of Object.entries(TROUBLES)) {
    const reading = await look(app).catch((error: unknown) => couldNotCheck(name, error));
    if (reading === 'unknown') continue;
    await tellCondition(app, { dedupeKey: `watch:${name}`, customerId: undefined }, reading);
    const text = reading === 'over' ? undefined : app.redact(reading.text);
    watched.push({ trouble: name, firing: text !== undefined, text });
  }
  // No condition: a run tells of the same finding with the same key, and nothing but a person ends it.
  const name = 'record_altered';
  const altered = await proveBetweenRuns(app).catch((error: unknown) => couldNotCheck(name, error));
  if (altered !== 'unknown') {
    watched.push({ trouble: name, firing: altered !== undefined, text: altered && app.redact(altered) });
  }
  return { watched, failures };
}

/** Tells a condition that no rule has. It tells when it begins, again while it lasts, and when it is over. */
export async function tellCondition(
  app: App,
  { dedupeKey, customerId }: Pick<NewAlert, 'dedupeKey' | 'customerId'>,
  reading: Exclude<TroubleReading, 'unknown'>,
): Promise<void> {
  const { state, clock, alerts, redact } = app;
  await state.db.transaction().execute(async (trx) => {
    const nowMs = clock.now();
    const known = await readAlert(trx, dedupeKey);
    if (known === undefined && reading === 'over') return;
    const firing = reading !== 'over';
    const { severity, text } = firing
      ? { ...reading, text: redact(reading.text) }
      : { severity: known?.severity ?? 'info', text: known?.text ?? '' };
    const about = { dedupeKey, severity, rule: undefined, customerId };
    const silenced = (await activeSilences(trx, nowMs)).some((silence) => silenceMatches(silence, about));
    const last = known?.notified && lastNotification(known.notified, known.firedAt);
    const acknowledged = known !== undefined && isAcknowledged(known, known.notified) ? known.severity : undefined;
    const { kind } = decideNotification(last, { firing, severity, silenced, acknowledged }, nowMs, alerts);
    if (kind !== 'nothing') {
      const said = { first: text, repeat: text, escalated: text, resolved: `Resolved: ${firstLineOf(text)}` }[kind];
      await notify(trx, { ...about, kind: 'condition', reason: kind, text: said }, nowMs);
    }
    // The condition keeps the words of its last look.
    if (firing || known?.state === 'firing') await recordCondition(trx, { ...about, text, firing }, nowMs);
  });
}
