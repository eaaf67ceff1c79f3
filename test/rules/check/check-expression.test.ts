import { describe, expect, it } from 'vitest';
import { checkCondition } from '../../../src/language/rules/check/check-expression.ts';
import type { Scope } from '../../../src/language/rules/check/checking.ts';
import { namesOf, type Place } from '../../../src/language/rules/check/rule-names.ts';
import { parseCondition } from '../../../src/language/rules/language/parse-expression.ts';
import type { SubjectKind } from '../../../src/language/rules/rule.ts';
import { place } from '../../gaql/findings.ts';
import { QUERIES } from '../rule-fixtures.ts';
import { resolved } from '../shape.ts';

function scopeOf(
  subject: SubjectKind = 'campaign',
  where: Place = 'values',
  over: Scope['over'] | 'none' = undefined,
): Scope {
  const columns = [...(QUERIES.get('keyword_stats')?.columns ?? []), ...(QUERIES.get('stats')?.columns ?? [])];
  const data = {
    table: 'keyword_stats',
    reach: { kind: 'moving', oldest: 30, newest: 1 },
    settleDays: 0,
    earlierDays: 0,
    hasHours: false,
  } as const;
  const own = over === 'none' ? undefined : (over ?? { kind: 'days', days: 7 });
  return { names: namesOf(columns, subject, where), place: where, over: own, data };
}

function check(source: string, scope = scopeOf()) {
  const reading = parseCondition(source);
  if (reading.kind === 'refused') throw new Error(reading.diagnostics.map(({ message }) => message).join(' '));
  return checkCondition(reading.tree, scope, source);
}

const treeOf = (source: string, scope = scopeOf()) => {
  const { tree, diagnostics } = check(source, scope);
  if (!tree) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return resolved(tree);
};
const placesOf = (source: string, scope = scopeOf()) => check(source, scope).diagnostics.map(place);
const messagesOf = (source: string, scope = scopeOf()) =>
  check(source, scope).diagnostics.map(({ message, hint }) => `${source} → ${message}${hint ? ` ${hint}` : ''}`);

describe('names', () => {
  it.each([
    ['a metric has the days of the rule', 'clicks > 3', '(sum[clicks over 7 days] > 3)'],
    ['an amount is its column in micros', 'cost > 3', '(sum[cost_micros÷1000000 over 7 days] > 3)'],
    ['micros are the column itself', 'cost_micros > 3', '(sum[cost_micros over 7 days] > 3)'],
    ['an attribute has no days', "campaign_name = 'x'", '(@campaign_name = "x")'],
    ['an amount of an attribute', 'campaign_budget_amount > 3', '(@campaign_budget_amount_micros÷1000000 > 3)'],
    ['the budget', 'budget > 3', '(BUDGET > 3)'],
    [
      'ctr is computed from sums, even if the table has it',
      'ctr < 1%',
      '((sum[clicks over 7 days] / sum[impressions over 7 days]) < 1/100)',
    ],
    ['average_cpc, too', 'average_cpc > 2', '((sum[cost_micros÷1000000 over 7 days] / sum[clicks over 7 days]) > 2)'],
    [
      'whole trees',
      "NOT (clicks > 1 AND campaign_name NOT LIKE 'x%') OR clicks IN (1, 2)",
      '((NOT ((sum[clicks over 7 days] > 1) AND (@campaign_name NOT LIKE "x%"))) OR (sum[clicks over 7 days] IN 1, 2))',
    ],
    [
      'unknown values',
      'clicks IS NULL OR campaign_name IS NOT NULL',
      '((sum[clicks over 7 days] IS NULL) OR (@campaign_name IS NOT NULL))',
    ],
    ['the first known value', 'coalesce(clicks, 0) = 0', '(coalesce(sum[clicks over 7 days], 0) = 0)'],
    ['signs', '-clicks < -3', '((- sum[clicks over 7 days]) < (- 3))'],
  ])('%s', (_, source, expected) => {
    expect(treeOf(source)).toBe(expected);
  });

  it('a derived name has its own place in every part', () => {
    const { tree } = check('1 > 2 OR ctr < 1%');
    const offsets = JSON.stringify(tree, (_, value) => (typeof value === 'bigint' ? String(value) : value)).match(
      /"start":\{"offset":\d+/g,
    );
    expect(new Set(offsets)).toEqual(
      new Set(['"start":{"offset":0', '"start":{"offset":4', '"start":{"offset":9', '"start":{"offset":15']),
    );
  });

  it.each([
    ['an unknown name', 'clickz > 3', ['UNRECOGNIZED_FIELD 1:1-1:7']],
    ['a name in capitals', 'Clicks > 3', ['UNRECOGNIZED_FIELD 1:1-1:7']],
    ['a name of every object', 'constructor > 3', ['UNRECOGNIZED_FIELD 1:1-1:12']],
    ['a rate', 'conversions_from_interactions_rate > 3', ['METRIC_NOT_SUMMABLE 1:1-1:35']],
    ['the day', "date = '2026-01-01'", ['SEGMENT_IN_RULE 1:1-1:5']],
    ['an attribute of several ad groups', "ad_group_name = 'x'", ['ATTRIBUTE_OF_SEVERAL 1:1-1:14']],
  ])('%s is refused once', (_, source, expected) => {
    expect(placesOf(source)).toEqual(expected);
  });

  it.each<[string, SubjectKind, Place, string, string | undefined]>([
    ['campaigns have one campaign', 'campaign', 'values', "campaign_name = 'x'", undefined],
    ['campaigns have one budget', 'campaign', 'where', 'campaign_budget_explicitly_shared = 0', undefined],
    ['budgets are chosen by their campaigns', 'budget', 'where', "campaign_status = 'ENABLED'", undefined],
    ['accounts have several campaigns', 'account', 'values', "campaign_name = 'x'", 'ATTRIBUTE_OF_SEVERAL'],
    ['accounts choose campaigns', 'account', 'where', "campaign_name = 'x'", undefined],
    ['accounts cannot filter by ad groups', 'account', 'where', "ad_group_name = 'x'", 'ATTRIBUTE_OF_SEVERAL'],
    ['ad groups have one ad group', 'ad_group', 'values', "ad_group_name = 'x'", undefined],
    [
      'ad groups have several keywords',
      'ad_group',
      'values',
      "ad_group_criterion_keyword_text = 'x'",
      'ATTRIBUTE_OF_SEVERAL',
    ],
    ['keywords have one of all', 'keyword', 'values', "ad_group_criterion_keyword_text = 'x'", undefined],
    ['keywords have no budget', 'keyword', 'values', 'budget > 3', 'NO_BUDGET'],
    ['ad groups have no budget', 'ad_group', 'values', 'budget > 3', 'NO_BUDGET'],
    ['accounts have budgets', 'account', 'values', 'budget > 3', undefined],
    ['a metric cannot filter', 'campaign', 'where', 'clicks > 3', 'METRIC_IN_WHERE'],
    ['an amount cannot filter', 'campaign', 'where', 'cost > 3', 'METRIC_IN_WHERE'],
    ['a rate cannot filter', 'campaign', 'where', 'ctr > 3', 'METRIC_IN_WHERE'],
    ['a budget cannot filter', 'campaign', 'where', 'budget > 3', 'METRIC_IN_WHERE'],
    ['a day cannot filter', 'campaign', 'where', "date = '2026-01-01'", 'SEGMENT_IN_RULE'],
  ])('%s', (_, subject, where, source, code) => {
    expect(check(source, scopeOf(subject, where)).diagnostics.map((found) => found.code)).toEqual(code ? [code] : []);
  });

  it('are explained if not allowed', () => {
    const messages = [
      ...['clickz > 3', 'zzzzzz > 3', 'ENABLED = campaign_status', 'campaign_budget_explicitly_shared = TRUE'].flatMap(
        (source) => messagesOf(source),
      ),
      ...['conversions_from_interactions_rate > 3', "date = '2026-01-01'", "ad_group_name = 'x'"].flatMap((source) =>
        messagesOf(source),
      ),
      ...messagesOf("campaign_name = 'x'", scopeOf('account')),
      ...messagesOf("ad_group_criterion_keyword_text = 'x'", scopeOf('ad_group')),
      ...messagesOf('budget > 3', scopeOf('keyword')),
      ...['clicks > 3', 'ctr > 3', 'budget > 3'].flatMap((source) => messagesOf(source, scopeOf('campaign', 'where'))),
    ];
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "clickz > 3 → Unknown column "clickz". Did you mean clicks?
      zzzzzz > 3 → Unknown column "zzzzzz". Known names: campaign_id, campaign_name, campaign_status, impressions, clicks, cost_micros, cost, conversions, conversions_value, ctr, campaign_budget_amount_micros, campaign_budget_amount, campaign_budget_explicitly_shared, average_cpc, cpa, roas, weekday, day_of_month, days_left, hour, budget.
      ENABLED = campaign_status → Unknown column "ENABLED". Put text in quotes: 'ENABLED'.
      campaign_budget_explicitly_shared = TRUE → Unknown column "TRUE". Write 1 for true and 0 for false.
      conversions_from_interactions_rate > 3 → "conversions_from_interactions_rate" cannot be summed over days, but rules use sums. Select the counts behind the metric and divide their sums, as in cost / clicks.
      date = '2026-01-01' → "date" splits the rows of a day, but rules use their sum. Choose days with a window: over: 7 days.
      ad_group_name = 'x' → "ad_group_name" belongs to ad_group, but a campaign may have several. Write an alert rule for: ad_group, or filter the rows in the query's WHERE.
      campaign_name = 'x' → "campaign_name" belongs to campaign, but an account may have several. Use it in "where", or write the rule for: campaign.
      ad_group_criterion_keyword_text = 'x' → "ad_group_criterion_keyword_text" belongs to ad_group_criterion, but an ad group may have several. Write an alert rule for: keyword, or filter the rows in the query's WHERE.
      budget > 3 → A keyword has no budget of its own. Campaigns, budgets and accounts have one.
      clicks > 3 → "clicks" is a metric: "where" filters by attributes only, such as names and states. Move the part with the metric to "when".
      ctr > 3 → "ctr" is a metric: "where" filters by attributes only, such as names and states. Move the part with the metric to "when".
      budget > 3 → The budget is not an attribute: "where" filters by attributes of the newest day. Move the part with budget to "when"."
    `);
  });
});

describe('amounts and plain numbers', () => {
  it.each([
    ['a count with a number', 'clicks >= 30', undefined],
    ['an amount with a number, which becomes an amount', 'cost > 2.50', 7],
    ['a cost per click with a number', 'cost / clicks > 2.50', 16],
    ['clicks per euro with a number', 'clicks / cost > 2', 16],
    ['an amount with an amount', 'cost >= budget', undefined],
    ['a share of amounts with a number', 'cost / budget > 0.9', undefined],
    ['a share of amounts with a percentage', 'cost / budget > 90%', undefined],
    ['a multiple of an amount with an amount', 'cost >= 0.9 * 7 * budget', undefined],
    ['a percentage of an amount with an amount', 'cost >= 90% * budget', undefined],
    ['a value that the service gives in currency units with an amount', 'conversions_value > 3 * cost', undefined],
    ['a return on spend with a number', 'conversions_value / cost < 4', undefined],
    ['zero, which is the same in every currency', 'cost > 0', undefined],
    ['zero as a sum of zeros', 'cost > 0 + 0', undefined],
    ['an amount plus a number', 'cost + 5 > budget', 7],
    ['micros with a number', 'cost_micros > 5000000', undefined],
    ['numbers with numbers', '1 + 1 = 2', undefined],
    ['a square of amounts', 'cost * cost > budget * budget', undefined],
    ['an amount in one part of many', 'clicks > 30 OR NOT (impressions < 5 AND budget > 10)', 49],
    ['a negative amount', 'budget - cost > -5', 16],
    ['text with text', "campaign_name != 'x'", undefined],
    ['amounts between numbers', 'cost BETWEEN 0 AND 10', 19],
    ['a number between amounts', '10 BETWEEN cost AND budget', 0],
    ['amounts in a list', 'cost IN (budget, 5)', 17],
    ['an amount or a number', 'coalesce(cost, 5) > budget', 15],
    ['an amount or nothing', 'coalesce(cost, 0) = 0', undefined],
    ['amounts of attributes', 'campaign_budget_amount > 5', 25],
  ])('%s fit, and amounts are found', (_, source, amountAt) => {
    const { diagnostics, amountAt: found } = check(source);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect([errors, found?.start.offset]).toEqual([[], amountAt]);
  });

  it.each([
    ['an amount and a count', 'cost > clicks', '1:1-1:14'],
    ['a sum of both', 'cost + clicks > 5', '1:1-1:14'],
    ['an amount and micros', 'cost > cost_micros', '1:1-1:19'],
    ['an amount and a share', 'cost > cost / budget', '1:1-1:21'],
    ['an amount and a percentage', 'cost > 20%', '1:1-1:11'],
    ['an amount and its square', 'cost * cost > budget', '1:1-1:21'],
    ['a count between amounts', 'clicks BETWEEN 1 AND cost', '1:1-1:26'],
    ['an amount in a list of counts', 'cost IN (1, clicks)', '1:1-1:20'],
    ['an amount or a count', 'coalesce(cost, clicks) > 1', '1:1-1:23'],
    ['text and a number', 'campaign_name = 5', '1:1-1:18'],
    ['text or a number', "coalesce(campaign_name, 0) = 'x'", '1:1-1:27'],
    ['a list of both', "campaign_name IN ('x', 5)", '1:1-1:26'],
    ['an order of text', "campaign_name > 'x'", '1:1-1:20'],
    ['text between texts', "campaign_name BETWEEN 'a' AND 'b'", '1:1-1:34'],
    ['a number like a pattern', "clicks LIKE '1%'", '1:1-1:7'],
    ['text in a sum', "clicks + campaign_name > 'x'", '1:10-1:23'],
    ['a sign before text', "-campaign_name = 'x'", '1:2-1:15'],
    ['a number for a condition', 'clicks', '1:1-1:7'],
    ['text for a condition', "campaign_name = 'x' AND campaign_name", '1:25-1:38'],
    ['NOT of a number', 'NOT (clicks + 1)', '1:5-1:17'],
    ['a condition for a number', '(clicks > 3) + 1 > 2', '1:1-1:13'],
    ['a condition that is compared', '(clicks > 3) = 1', '1:1-1:13'],
    ['a condition that is known or not', '(clicks > 3) IS NULL', '1:1-1:13'],
  ])('%s is refused once', (_, source, expected) => {
    expect(placesOf(source)).toEqual([`OPERATOR_FIELD_MISMATCH ${expected}`]);
  });

  it('reports every mistake once', () => {
    const source = 'clickz > 3 AND (costs / clickz > 2 OR cost > clicks) AND campaign_name';
    expect(placesOf(source)).toEqual([
      ...'UNRECOGNIZED_FIELD 1:1-1:7, UNRECOGNIZED_FIELD 1:17-1:22, UNRECOGNIZED_FIELD 1:25-1:31'.split(', '),
      ...'OPERATOR_FIELD_MISMATCH 1:39-1:52, OPERATOR_FIELD_MISMATCH 1:58-1:71'.split(', '),
    ]);
  });

  it('reports what was found', () => {
    const sources = [
      ..."cost > clicks; campaign_name = 5; campaign_name > 'x'; campaign_name BETWEEN 'a' AND 'b'".split('; '),
      ..."clicks LIKE '1%'; clicks; clicks + campaign_name > 3; (clicks > 3) = 1".split('; '),
      'clicks AND NOT campaign_name',
    ];
    expect(sources.flatMap((source) => messagesOf(source)).join('\n')).toMatchInlineSnapshot(`
      "cost > clicks → Found an amount of money and a plain number, expected two values of the same kind. cost and budget are amounts. *_micros columns, clicks, impressions and percentages are plain numbers.
      campaign_name = 5 → Found text and a number, expected two values of the same kind.
      campaign_name > 'x' → Found text with >, expected =, !=, IN or LIKE.
      campaign_name BETWEEN 'a' AND 'b' → Found text with BETWEEN, expected =, !=, IN or LIKE.
      clicks LIKE '1%' → Found a number with LIKE, expected text such as campaign_name.
      clicks → Found a number, expected a comparison such as clicks >= 30.
      clicks + campaign_name > 3 → Found text, expected a number.
      (clicks > 3) = 1 → Found a condition, expected a value. Join conditions with AND, OR and NOT.
      clicks AND NOT campaign_name → Found a number, expected a comparison such as clicks >= 30.
      clicks AND NOT campaign_name → Found text, expected a comparison such as clicks >= 30."
    `);
  });
});

describe('functions', () => {
  it.each([
    ['mean(clicks) same weekday over 4 weeks > 3', '(mean[clicks same weekday over 4 weeks] > 3)'],
    ['deviation(cost same weekday over 2 weeks) > 3', '(deviation[cost_micros÷1000000 same weekday over 2 weeks] > 3)'],
    [
      '(clicks - Mean(clicks)) same weekday over 4 weeks > 3',
      '((mean[clicks same weekday over 4 weeks] - mean[clicks same weekday over 4 weeks]) > 3)',
    ],
    [
      'COALESCE(clicks, impressions, 0) on yesterday > 3',
      '(coalesce(sum[clicks on yesterday], sum[impressions on yesterday], 0) > 3)',
    ],
    ["coalesce(campaign_name, 'none') = 'none'", '(coalesce(@campaign_name, "none") = "none")'],
  ])('%s', (source, expected) => {
    expect(treeOf(source)).toBe(expected);
  });

  it('are distinguished from unknown and misused ones', () => {
    const sources = [
      ...'sum(clicks) > 3; men(clicks) > 3; mean(clicks) > 3; deviation(clicks) over 7 days > 3'.split('; '),
      ...'coalesce(clicks) > 3; coalesce((clicks > 3), 0) > 3'.split('; '),
      ...'mean(cost / clicks) same weekday over 4 weeks > 3; mean() same weekday over 4 weeks > 3'.split('; '),
      ...'mean(ctr) same weekday over 4 weeks > 3; mean(budget) same weekday over 4 weeks > 3'.split('; '),
      ...'mean(clickz) same weekday over 4 weeks > 3; coalesce() > 3'.split('; '),
      'deviation(clicks same weekday over 0 weeks) > 3',
    ];
    expect(sources.flatMap((source) => messagesOf(source)).join('\n')).toMatchInlineSnapshot(`
      "sum(clicks) > 3 → Unknown function "sum". A metric is already the sum over its days. For an average, divide it: clicks over 7 days / 7.
      men(clicks) > 3 → Unknown function "men". Did you mean mean?
      mean(clicks) > 3 → A mean needs the same weekday of several weeks. Write "mean(clicks) same weekday over 4 weeks".
      deviation(clicks) over 7 days > 3 → A deviation needs the same weekday of several weeks. Write "deviation(clicks) same weekday over 4 weeks".
      coalesce(clicks) > 3 → Found one value in coalesce, expected at least two. It takes the first known value. Write "coalesce(clicks, 0)".
      coalesce((clicks > 3), 0) > 3 → Found a condition, expected a number or text.
      mean(cost / clicks) same weekday over 4 weeks > 3 → Found a computed value in mean, expected one metric. Write "mean(clicks) same weekday over 4 weeks".
      mean() same weekday over 4 weeks > 3 → Found 0 values in mean, expected one metric. Write "mean(clicks) same weekday over 4 weeks".
      mean(ctr) same weekday over 4 weeks > 3 → Found "ctr" in mean, expected a metric that can be summed, such as clicks.
      mean(budget) same weekday over 4 weeks > 3 → Found "budget" in mean, expected a metric that can be summed, such as clicks.
      mean(clickz) same weekday over 4 weeks > 3 → Unknown column "clickz". Did you mean clicks?
      coalesce() > 3 → Found nothing in coalesce, expected at least two. It takes the first known value. Write "coalesce(clicks, 0)".
      deviation(clicks same weekday over 0 weeks) > 3 → Found 0 weeks, expected a whole number from 1 to 104. Write "same weekday over 4 weeks"."
    `);
    expect(sources.map((source) => check(source).diagnostics.length)).toEqual(sources.map(() => 1));
  });
});
