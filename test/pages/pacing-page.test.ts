import { describe, expect, it } from 'vitest';
import type { PacingResult } from '../../src/language/results/report-result.ts';
import { listingPage } from '../../src/views/kit/page.ts';
import { PACING } from '../../src/views/pacing.ts';
import { chartedTargets, targetChart } from '../../src/views/pacing-chart.ts';
import { htmlFindings } from '../support/html-findings.ts';
import { euros, pacing, quiet, reading, target } from '../views/report/pacing-targets.ts';
import { account, accountId, refused } from '../views/report/results.ts';
import { HOSTILE } from './report/report-facts.ts';

function pacingPage(result: PacingResult): string {
  const charts = chartedTargets(result.targets).map(targetChart);
  return listingPage(PACING, result, { title: 'Pacing', description: 'Targets.', charts });
}

const hostile = pacingPage(
  pacing({
    target: `live (${HOSTILE[2]})`,
    notes: [HOSTILE[1]],
    failures: [HOSTILE[0]],
    accounts: [{ ...account(1), name: HOSTILE[0] }],
    targets: [
      target({ subject: HOSTILE[1], rule: HOSTILE[0], reading: reading({ why: HOSTILE[0] }) }),
      target({
        subject: HOSTILE[3],
        decisions: [
          refused({
            facts: { budgetId: HOSTILE[1], by: 'rule', day: '2026-11-18', cooldownDays: 0, until: '2026-11-21' },
          }),
        ],
      }),
    ],
    rules: [
      {
        rule: HOSTILE[2],
        customerId: accountId(1),
        subjects: 0,
        fired: 0,
        unknown: 0,
        notEvaluated: HOSTILE[0],
      },
    ],
  }),
);

describe('the pacing page with hostile names', () => {
  it('contains no element from a name, and is valid HTML', async () => {
    expect(hostile).not.toMatch(/<script|<img/i);
    expect(hostile.match(/<svg/g)?.length).toBe(hostile.match(/<\/svg>/g)?.length);
    expect(await htmlFindings(hostile)).toEqual([]);
  });

  it('loads nothing', () => {
    const tags =
      hostile
        .match(/<[^>]*>/g)
        ?.join('')
        .replace(/aria-label="[^"]*"/g, '') ?? '';
    expect(tags).not.toMatch(/\s(?:src|srcset|action|data|poster)=|href="(?!#|data:,)|url\(|https?:/i);
  });
});

describe('the pacing page', () => {
  const page = pacingPage(pacing({ targets: [target(), quiet('Boots')] }));

  it('draws spent, ideal, projected and target, with a table for each chart', () => {
    for (const name of ['spent', 'ideal', 'projected', 'target'])
      expect(page).toMatch(new RegExp(`<label><input [^>]*>${name}</label>`));
    expect(page.match(/<figure>/g)).toHaveLength(2);
    expect(page).toContain('>2026-11-30</th>');
    expect(page).toContain('Projected: 2,180.00 EUR. Target: 3,000.00 EUR.');
  });

  it('shows what the budgets should be, and which limits hold them', () => {
    expect(page).toContain('>90.00 EUR<');
    expect(page).toContain('no change');
    expect(page).toContain('limited by the step of 20%: 75.00 EUR to 90.00 EUR');
    expect(page).toContain('up to 150.00 EUR today');
  });

  it.each<[sentence: string, result: Partial<PacingResult>, said: RegExp]>([
    ['no rule paces', { targets: [], notes: ['No rule paces.'], example: 'for: account\n' }, /<li>for: account/],
    ['nothing was read', { unread: true }, /No data yet\. Run pacekeeper extract\./],
    ['rules that pace say nothing', { targets: [] }, /No target could be evaluated\./],
    [
      'no day is complete',
      {
        targets: [
          target({
            reading: reading({
              newestSettled: undefined,
              spent: euros(0),
              idealToDate: euros(0),
              days: reading().days.map((day) => ({ ...day, cost: undefined })),
            }),
          }),
        ],
      },
      /Spent: 0\.00 EUR\. Ideal to date: 0\.00 EUR\./,
    ],
  ])('is valid HTML when %s', async (_sentence, result, said) => {
    const shown = pacingPage(pacing(result));
    expect(shown).toMatch(said);
    expect(shown).not.toMatch(/NaN|undefined|null|Infinity/);
    expect(await htmlFindings(shown)).toEqual([]);
  });

  it('draws at most 40 charts, targets with a change first, and counts the rest', () => {
    const many = Array.from({ length: 45 }, (_, index) => quiet(`Campaign ${index}`));
    const shown = pacingPage(pacing({ targets: [...many, target()] }));
    expect(shown.match(/<figure>/g)).toHaveLength(40);
    expect(shown).toContain('<figcaption>month-pacing, Shoes (campaign 21) <small>');
    expect(shown).toContain('Without a chart: 6.');
  });
});
