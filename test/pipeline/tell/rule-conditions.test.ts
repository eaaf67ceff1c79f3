import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import type { RunAccount } from '../../../src/engine/accounts/find-accounts.ts';
import {
  byAccount,
  keepOpen,
  type Situation,
  situationsOf,
  textsOf,
} from '../../../src/engine/tell/enqueue-rule-alerts.ts';
import type { Verdict } from '../../../src/language/rules/decide/decision.ts';
import { subjectKey } from '../../../src/language/rules/evaluate/subjects.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import type { ConditionRecord } from '../../../src/storage/records/alerts/condition-table.ts';
import { budgetOf, row, type TableRow, verdictsOf } from '../../rules/evaluated.ts';
import { type RuleText, ruleOf } from '../../rules/rule-fixtures.ts';

const TELLING: RuleText = { when: 'clicks >= 30', change: undefined, alert: '{ text: "{campaign_name}" }' };
const EUR = customerId('1234567890');
const account: RunAccount = {
  customerId: EUR,
  name: 'Shop',
  currency: 'EUR',
  timeZone: 'UTC',
  failure: undefined,
  leftOut: undefined,
};
const rule = ruleOf(TELLING);
const keyOf = (subject: string) => `rule:${rule.name}:${EUR}:${subject}`;
const record = (subject: string, other: Partial<ConditionRecord> = {}): ConditionRecord => ({
  id: 1n,
  dedupeKey: keyOf(subject),
  state: 'firing',
  severity: 'warning',
  text: 'Shoes',
  customerId: EUR,
  kind: 'condition',
  resolvedAt: undefined,
  occasions: 1n,
  firedAt: '2026-11-19T12:00:00Z',
  acknowledgedAt: undefined,
  acknowledgedBy: undefined,
  rule: rule.name,
  notified: { at: '2026-11-19T12:00:00Z', as: 'first', severity: 'warning' },
  ...other,
});

/** What is so of one account, where the rule was evaluated unless told otherwise. */
function situations(
  verdicts: readonly Verdict[],
  known: readonly ConditionRecord[] = [],
  { rules = [rule], notEvaluated }: { rules?: readonly (typeof rule)[]; notEvaluated?: string } = {},
): Situation[] {
  const counts = { subjects: 1, fired: 1, unknown: 0, notEvaluated };
  const evaluation = { rules: [{ rule: rule.name, customerId: EUR, ...counts }], verdicts: verdicts.map(textsOf) };
  const byKey = new Map(known.map((one) => [one.dedupeKey, one]));
  return byAccount([account], evaluation, byKey).flatMap((one) => situationsOf(rules, one, createRedact([])));
}

const lineOf = (one: Situation | undefined) => (one === undefined || one.firing ? undefined : one.now);
const brief = (found: readonly Situation[]) => found.map(({ key, firing, text }) => [key, firing, text]);

describe('the condition of a rule', () => {
  it.each<[sentence: string, rows: TableRow[], known: ConditionRecord[], expected: unknown[]]>([
    ['fires for a subject', [row()], [], [[keyOf('campaign/1'), true, 'Shoes']]],
    ['fires for a known subject', [row()], [record('campaign/1')], [[keyOf('campaign/1'), true, 'Shoes']]],
    ['is not reported if it never fired', [row({ clicks: 1n })], [], []],
    [
      'is over if it no longer fires',
      [row({ clicks: 1n })],
      [record('campaign/1')],
      [[keyOf('campaign/1'), false, 'Shoes']],
    ],
    [
      'is over if its subject no longer has rows',
      [row({ campaign_id: 2n, clicks: 1n })],
      [record('campaign/1')],
      [[keyOf('campaign/1'), false, 'Shoes']],
    ],
    [
      'is over if its end was not reported, even if its record says so already',
      [row({ clicks: 1n })],
      [record('campaign/1', { state: 'resolved' })],
      [[keyOf('campaign/1'), false, 'Shoes']],
    ],
    [
      'is not reported if its end was reported',
      [row({ clicks: 1n })],
      [
        record('campaign/1', {
          state: 'resolved',
          notified: { at: '2026-11-19T12:00:00Z', as: 'resolved', severity: 'warning' },
        }),
      ],
      [],
    ],
  ])('%s', (_sentence, rows, known, expected) => {
    expect(brief(situations(verdictsOf(TELLING, rows), known))).toEqual(expected);
  });

  it('stays unchanged if it is unknown or was not evaluated', () => {
    const unknown = verdictsOf({ ...TELLING, when: 'cost / (clicks - clicks) > 1' }, [row()]);
    expect(unknown.map(({ truth }) => truth)).toEqual(['unknown']);
    expect(situations(unknown, [record('campaign/1')])).toEqual([]);
    expect(situations([], [record('campaign/1')], { notEvaluated: 'a day is missing' })).toEqual([]);
  });

  it('is over if its rule is gone, even if nothing could be evaluated', () => {
    const found = situations([], [record('campaign/1')], { rules: [], notEvaluated: 'a day is missing' });
    expect(found.map((one) => [one.firing, lineOf(one)])).toEqual([
      [false, `Why: the rule ${rule.name} was removed or no longer alerts`],
    ]);
  });

  it('reports the current numbers when it is over, and never the condition text', () => {
    const [over] = situations(verdictsOf(TELLING, [row({ clicks: 1n })]), [record('campaign/1')]);
    expect(lineOf(over)).toMatch(/^Now: clicks 1, \d/);
  });

  it('is combined into one beyond 2,000 subjects; reported subjects keep their own', () => {
    const rows = Array.from({ length: 2500 }, (_, index) =>
      row({ campaign_id: BigInt(index + 1), campaign_name: `C${index + 1}` }),
    );
    const found = situations(verdictsOf(TELLING, rows), [record('campaign/2400')]);
    expect(found).toHaveLength(2001);
    expect(found[0]?.key).toBe(keyOf('campaign/2400'));
    expect([found.at(-1)?.key, found.at(-1)?.text]).toEqual([keyOf('rest'), '500 more, for example: C2000']);
    const fewer = situations(verdictsOf(TELLING, rows.slice(0, 10)), [record('rest')]);
    expect(lineOf(fewer.at(-1))).toBe('Why: the rule now fires for 2,000 subjects at most');
  });
});

describe('the stored verdicts', () => {
  it('are only those of subjects that fired before', () => {
    const verdicts = verdictsOf(TELLING, [row({ clicks: 1n }), row({ campaign_id: 2n, clicks: 1n })]);
    const kept = (known: ConditionRecord[]) => {
      const keep = keepOpen(known);
      return verdicts.filter((one) => keep(one.truth, one.rule, one.subject)).map(({ subject }) => subjectKey(subject));
    };
    expect(kept([])).toEqual([]);
    expect(kept([record('campaign/2')])).toEqual(['campaign/2']);
    expect(kept([record('campaign/2', { state: 'resolved', notified: undefined })])).toEqual([]);
  });
});

describe('the key of a subject', () => {
  const KEYWORDS = { from: 'keyword_stats', when: 'clicks >= 1', change: undefined, alert: '{ text: x }' };
  const ids = { ad_group_id: 5n, ad_group_criterion_criterion_id: 6n };
  it.each<[kind: string, text: RuleText, key: string]>([
    ['campaign', TELLING, 'campaign/1'],
    ['account', { ...TELLING, for: 'account', alert: '{ text: x }' }, 'account'],
    ['ad_group', { ...KEYWORDS, for: 'ad_group' }, 'ad_group/5'],
    ['keyword', { ...KEYWORDS, for: 'keyword' }, 'keyword/5/6'],
  ])('of kind %s contains no name', (_kind, text, key) => {
    expect(verdictsOf(text, [row(ids)]).map(({ subject }) => subjectKey(subject))).toEqual([key]);
  });

  it('of kind budget is the key of the budget', () => {
    const { budgetId } = budgetOf(71, '40');
    const none = { campaignId: undefined, adGroupId: undefined, criterionId: undefined };
    expect(subjectKey({ ...none, kind: 'budget', budgetId })).toBe('budget/71');
  });
});
