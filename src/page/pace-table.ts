import { PACE_WORDS } from '../report/pacing-words.ts';
import type { RunTarget } from '../store/run-result-table.ts';
import { type Html, html } from './html.ts';
import { named, table } from './table.ts';
import { amountText, costText } from './wording.ts';

/** The targets of rules, a row each; amounts of different currencies are never added. */
export function paceTable(rows: readonly RunTarget[], none: string): Html {
  return table({
    caption: 'Targets that rules pace budgets to',
    // What is to be done comes first, where a narrow screen shows it.
    columns: [
      { title: 'Of' },
      { title: 'State' },
      { title: 'Budget today', numeric: true },
      { title: 'Should be', numeric: true },
      { title: 'Target', numeric: true },
      { title: 'Spent', numeric: true },
      { title: 'Ideal to date', numeric: true },
      { title: 'Projected', numeric: true },
    ],
    rows: rows.map(({ subject, accountName, customerId, rule, state, currency, budget, shouldBe, ...sums }) => [
      html`${named(subject)}<br><span class="note">${named(accountName ?? customerId)}, ${rule}</span>`,
      paceVerdict(state),
      amountText(budget, currency),
      shouldBe === budget ? 'as it is' : html`<strong>${amountText(shouldBe, currency)}</strong>`,
      ...[sums.target, sums.spent, sums.idealToDate, sums.projected].map((amount) => costText(amount, currency)),
    ]),
    none,
  });
}

/** The word for how a target's month goes. */
export function paceVerdict(state: string): Html {
  const words = PACE_WORDS[state as keyof typeof PACE_WORDS];
  return html`<span class="${TONES[state] ?? 'muted'}">${words ?? state}</span>`;
}

const TONES: Readonly<Record<string, string>> = { in_band: 'good', low: 'warn', high: 'bad', overspent: 'bad' };
