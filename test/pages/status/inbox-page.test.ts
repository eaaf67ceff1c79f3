import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { askCard, asksOf, firstAsks } from '../../../src/dashboard/inbox/ask-cards.ts';
import { ruleTextsIn } from '../../../src/dashboard/report/gather-report.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { Role } from '../../../src/domain/role.ts';
import type { ShownProposal } from '../../../src/storage/columns/budget-columns.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { runCli } from '../../support/run-cli.ts';
import { OF_RULE } from '../../support/state.ts';

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW = '2026-11-28T05:30:00Z';
const CUT = `description: Cut <each> budget of a club.
from: campaign_spend
for: campaign
where: campaign_name LIKE 'Marke%'
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
limits: { step: 20% }
mode: approve
`;

beforeAll(async () => {
  mkdirSync(join(folder, 'rules'));
  cpSync('queries', join(folder, 'queries'), { recursive: true });
  const pacing = readFileSync('rules/month-pacing.yaml', 'utf8').replace(/^mode: \w+/m, 'mode: approve');
  writeFileSync(join(folder, 'rules', 'month-pacing.yaml'), pacing);
  writeFileSync(join(folder, 'rules', 'cut.yaml'), CUT);
  const { code, stderr } = await runCli(['report'], { cwd: folder, env: { PACEKEEPER_NOW: NOW } });
  expect(code, stderr).toBe(0);
});

async function asks(role: Role): Promise<string[]> {
  const deps = { settings: settingsFrom(folder, {}, {}, ''), clock: fakeClock(NOW) };
  const { html } = await statusPage(deps, { path: '/inbox', query: '', role });
  expect(await htmlFindings(html)).toEqual([]);
  return html.match(/<article class="card ask"[\s\S]*?<\/article>/g) ?? [];
}

const textOf = (markup: string | undefined) =>
  markup
    ?.replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const partOf = (ask: string | undefined, tag: RegExp) => textOf(tag.exec(ask ?? '')?.[0]);
const askOf = async (rule: string, role: Role = 'approver') =>
  (await asks(role)).find((ask) => ask.includes(`href="./rules/${rule}"`));

it('shows the changes of one rule and account together, each chosen and with its amount, in one form', async () => {
  const plan = await askOf('month-pacing');
  expect(textOf(plan)).toMatch(
    /^Plan, 3 budgets Alpenkontor Outdoor GmbH 4081725530 · rule month-pacing until the next day’s report, at the latest /,
  );
  expect(partOf(plan, /<dl[\s\S]*?<\/dl>/)).toBe('Together, a day 145.00 → 17.21 EUR, −88%');
  expect(plan?.match(/type="checkbox" name="on-\w{4}" checked/g)).toHaveLength(3);
  expect(plan?.match(/(?<=name="to-\w{4}" value=")[\d.]+/g)).toEqual(['7.21', '5.00', '5.00']);
  expect(plan?.match(/(?<=<strong><a [^>]*>(?:<bdi>)?)[^<]+/g)).toEqual(['Regenjacken', 'Schlafsäcke', 'Isomatten']);
  expect(plan?.match(/(?<=<button [^>]*>)[^<]+/g)).toEqual(['Approve all 3', 'Approve chosen', 'Reject chosen']);
  const single = await askOf('cut');
  expect(textOf(single)).toMatch(/^Approval /);
  expect(single).not.toContain('Together');
});

it('says why in a sentence of the target or the rule, before the amounts and the line of the log', async () => {
  const plan = await askOf('month-pacing');
  expect(partOf(plan, /<h3[\s\S]*?<\/h3>/)).toBe(
    '97.1% of 1,800 EUR for November 2026 is spent. As now, it ends at 1,926.',
  );
  const single = (await askOf('cut')) ?? '';
  const places = ['Cut &lt;each&gt; budget of a club.', 'a day, −10%', 'How it was computed', 'clicks ('];
  const found = places.map((words) => single.indexOf(words));
  expect(found).toEqual(found.toSorted((one, other) => one - other));
  expect(found).not.toContain(-1);
});

describe('plans with more lines than the page shows', () => {
  const proposalsOf = (rule: string, many: number) =>
    Array.from(
      { length: many },
      (_, index): ShownProposal => ({
        ...OF_RULE,
        code: `A${100 + index}`,
        runId: 1n,
        state: 'open',
        customerId: customerId('4081725530'),
        budgetId: budgetId(String(index + 1)),
        campaignId: undefined,
        campaignName: `Tents ${index}`,
        accountDay: civilDate('2026-11-28'),
        currency: 'EUR',
        rule,
        ruleVersion: '1',
        from: micros(10_000_000n),
        to: micros(9_000_000n),
        amountSource: 'read',
        declared: undefined,
        floor: undefined,
        ceiling: undefined,
        reason: 'clicks (40) >= 30',
        intentId: undefined,
        decidedBy: undefined,
        decidedAt: undefined,
        createdAt: NOW,
        expiresAt: '2026-11-29T05:30:00Z',
        alertText: undefined,
        alertSeverity: undefined,
      }),
    );
  const asked = (...plans: ShownProposal[][]) => asksOf(plans.flat(), new Map(), new Map());

  it('add up all lines', () => {
    const [plan] = asked(proposalsOf('cut', 60));
    const card = plan && askCard(plan, '/inbox', 'approver', false).markup;
    expect(partOf(card, /<dl[\s\S]*?<\/dl>/)).toBe('Together, a day 600.00 → 540.00 EUR, −10%');
    expect(card?.match(/type="checkbox"/g)).toHaveLength(50);
    expect(card).toContain('Approve these 50');
    expect(textOf(card)).toContain('The first 50 of 60.');
  });

  it('are never shown in part beside others', () => {
    const { shown, lines } = firstAsks(asked(proposalsOf('cut', 30), proposalsOf('raise', 30), proposalsOf('last', 5)));
    expect(shown.map(({ proposals }) => proposals.length)).toEqual([30, 30]);
    expect(lines).toBe(60);
  });
});

it('takes the sentence also from the file of a target', () => {
  const targets = join(folder, 'other-targets');
  mkdirSync(targets);
  writeFileSync(join(targets, 'best.yaml'), 'description: Move money to what sells.\nreallocate: conversions / cost\n');
  expect(ruleTextsIn({ rules: join(folder, 'rules'), targets }).get('best')).toBe('Move money to what sells.');
});

it('has no act for a viewer', async () => {
  const [plan] = await asks('viewer');
  expect(plan).toBeDefined();
  expect(plan).not.toMatch(/act=|<form|<button|<input/);
});
