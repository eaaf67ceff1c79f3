import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf, budgetOf, evaluateAll, row } from '../evaluated.ts';
import { queryNamed, type RuleText, ruleText } from '../rule-fixtures.ts';

const LABELLED = queryNamed(
  'labelled',
  'SELECT campaign.id, campaign.name, campaign.labels, metrics.clicks, metrics.cost_micros, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
);
const ALERT: RuleText = {
  from: 'labelled',
  change: undefined,
  alert: "{ text: '{campaign_name}' }",
  when: 'clicks > 0',
};

function check(changes: RuleText) {
  const context = { version: '', catalogueOf: () => loadCatalogue('v25') };
  return checkRuleFile(
    'a-rule',
    ruleText({ ...ALERT, ...changes }),
    new Map([['labelled', LABELLED]]),
    new Set(),
    context,
  );
}

const labels = new Map([
  ['brand', ['customers/1/labels/77']],
  ['Brand', ['customers/1/labels/7']],
]);
const account = (budgets = { 1: budgetOf(71, '20') }) => accountOf(budgets, { labels });
const labelled = (held: string | null) => row({ campaign_labels: held });

function judge(changes: RuleText, rows = [labelled('["customers/1/labels/9","customers/1/labels/77"]')]) {
  const { rule, diagnostics } = check(changes);
  if (!rule) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  const [evaluation] = evaluateAll([rule], rows, account());
  return evaluation?.kind === 'evaluated' ? evaluation.verdicts : [];
}

describe('a label by name', () => {
  it.each([
    ['one of several', "'brand' IN campaign_labels", '["customers/1/labels/9","customers/1/labels/77"]', 'true'],
    ['an id with the same begin is another', "'Brand' IN campaign_labels", '["customers/1/labels/77"]', 'false'],
    ['without labels, false', "'brand' IN campaign_labels", '[]', 'false'],
    ['without a value, false', "'brand' IN campaign_labels", null, 'false'],
    ['without labels, NOT is true', "'brand' NOT IN campaign_labels", null, 'true'],
    ['NOT before it is the same', "NOT 'brand' IN campaign_labels", '["customers/1/labels/77"]', 'false'],
    ['a name that no label has', "'brnd' IN campaign_labels", '["customers/1/labels/77"]', 'false'],
  ])('%s', (_, condition, held, truth) => {
    expect(judge({ when: `clicks > 0 AND ${condition}` }, [labelled(held)]).map((one) => one.truth)).toEqual([truth]);
    const chosen = judge({ where: `"${condition}"` }, [labelled(held)]);
    expect(chosen.length).toBe(truth === 'true' ? 1 : 0);
  });

  it('is explained, also if the account has no such label', () => {
    const [verdict] = judge({ when: "clicks > 0 AND 'brand' IN campaign_labels AND 'brnd' NOT IN campaign_labels" });
    expect(verdict?.explain()).toContain(
      "'brand' IN campaign_labels AND 'brnd' NOT IN campaign_labels (the account has no such label)",
    );
  });

  it('is unknown for a budget whose campaigns have different labels', () => {
    const rows = [labelled('["customers/1/labels/77"]'), row({ campaign_id: 2n, campaign_labels: '[]' })];
    const { rule } = check({ for: 'budget', when: "clicks > 0 AND 'brand' IN campaign_labels" });
    const shared = { 1: budgetOf(71, '20'), 2: budgetOf(71, '20') };
    const [evaluation] = evaluateAll(rule ? [rule] : [], rows, account(shared));
    expect(evaluation).toMatchObject({ counts: { true: 0, false: 0, unknown: 1 } });
  });
});

describe('a check of labels', () => {
  it.each<[string, string, string[]]>([
    ['a column of text', "'brand' IN campaign_name", ['OPERATOR_FIELD_MISMATCH 5:7-5:31']],
    ['a metric', "'brand' IN clicks", ['OPERATOR_FIELD_MISMATCH 5:7-5:24']],
    ['a number', '77 IN campaign_labels', ['OPERATOR_FIELD_MISMATCH 5:7-5:28']],
    ['a name of a column', 'campaign_name IN campaign_labels', ['OPERATOR_FIELD_MISMATCH 5:7-5:39']],
    ['a column that is not selected', "'brand' IN ad_group_labels", ['UNRECOGNIZED_FIELD 5:18-5:33']],
    ['no column', "'brand' IN 'campaign_labels'", ['UNEXPECTED_INPUT 5:18-5:35']],
  ])('refuses %s', (_, when, places) => {
    expect(check({ when: `"${when}"` }).diagnostics.map(place)).toEqual(places.map((one) => shifted(one)));
  });

  /** The quotes of YAML take one column. */
  const shifted = (at: string) => at.replace(/5:(\d+)/g, (_, column) => `5:${Number(column) + 1}`);
});
