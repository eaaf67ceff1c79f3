import type { App } from '../app.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import type { RuleAlert } from '../report/rules-result.ts';
import { enqueueAlert } from '../store/outbox-table.ts';

/** A message has room for so many subjects; the report shows all. */
const LINES_MAX = 10;

/**
 * Puts what rules tell into the outbox: one message for a rule, an account and a day of the account, however many subjects
 * it fires for and however often it runs.
 */
export async function enqueueRuleAlerts(
  app: App,
  alerts: readonly (RuleAlert & { readonly timeZone: string })[],
): Promise<void> {
  const nowMs = app.clock.now();
  for (const { rule, customerId, severity, lines, timeZone } of alerts) {
    const more = lines.length - LINES_MAX;
    const text = [
      ...lines.slice(0, LINES_MAX),
      ...(more > 0 ? [`and ${more.toLocaleString('en-US')} more.`] : []),
      `Account ${customerId}, rule ${rule}.`,
    ].join('\n');
    const dedupeKey = `rule:${rule}:${customerId}:${civilDateAt(nowMs, timeZone)}`;
    await app.state.db
      .transaction()
      .execute((trx) => enqueueAlert(trx, { dedupeKey, severity, customerId, text }, nowMs));
  }
}
