import { decideNotification } from '../alerts/decide-notification.ts';
import { silenceMatches } from '../alerts/silence-matches.ts';
import type { App } from '../app.ts';
import { knownAccount } from '../store/account-table.ts';
import { notify, recordCondition } from '../store/alert-table.ts';
import { conditionsOf } from '../store/condition-table.ts';
import { activeSilences } from '../store/silence-table.ts';
import { conditionText } from './condition-text.ts';

/**
 * Tells people of the conditions that fire, as far as the last run knows, and that nothing keeps from them any more: a silence
 * is over, or what was to tell of it was taken back before it left. That one still is so is told by a run, which has looked.
 */
export async function tellUntold({ state, alerts }: Pick<App, 'state' | 'alerts'>, nowMs: number): Promise<void> {
  await state.db.transaction().execute(async (trx) => {
    const silences = await activeSilences(trx, nowMs);
    for (const condition of (await conditionsOf(trx)).values()) {
      const { id, dedupeKey, state: now, severity, text, customerId, rule, firedAt, notified } = condition;
      if (now !== 'firing') continue;
      const silenced = silences.some((silence) => silenceMatches(silence, { severity, customerId, rule }));
      const last = notified && {
        ...{ notifiedAtMs: Date.parse(notified.at), notifiedAs: notified.as, notifiedSeverity: notified.severity },
      };
      const { kind } = decideNotification(last, { firing: true, severity, silenced }, nowMs, alerts);
      if (kind !== 'first' && kind !== 'escalated') continue;
      const account = (await knownAccount(trx, customerId)) ?? { customerId, name: undefined, timeZone: undefined };
      const says = { kind, rule, severity, text, why: undefined, since: firedAt, conditionId: id };
      const said = await conditionText(trx, account, says, nowMs);
      const about = { dedupeKey, rule, severity, customerId };
      await notify(trx, { ...about, kind: 'condition', reason: kind, text: said }, nowMs);
      // The record keeps the rule's own words.
      await recordCondition(trx, { ...about, text, firing: true }, nowMs);
    }
  });
}
