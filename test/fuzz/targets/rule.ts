import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { describeRule } from '../../../src/language/rules/file/describe-rule.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { expressionReader } from '../../../src/language/rules/language/expression-grammar.ts';
import { parseCondition } from '../../../src/language/rules/language/parse-expression.ts';
import { QUERIES, ruleText } from '../../rules/rule-fixtures.ts';
import { claimFindings } from '../claim-findings.ts';
import type { Random } from '../inputs/random.ts';
import { examplesIn, textsIn } from '../inputs/sources.ts';
import { type Spell, writeByGrammar } from '../inputs/write-by-grammar.ts';
import { claim, type Target } from '../target.ts';

const COLUMNS = [
  ...'clicks cost impressions campaign_name campaign_id budget ctr avg median coalesce conversions'.split(' '),
  'status',
];
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  ColumnName: COLUMNS,
  UnsignedNumber: ['0', '1', '2.50', '30', '7', '28', '999999999999', '0.000001', '12345678901234567890'],
  String: [`'brand'`, `''`, `'Test%'`, `"x"`, `'€5 😀'`],
  ComparisonOperator: ['=', '!=', '<', '<=', '>', '>='],
  LeftParen: ['('],
  RightParen: [')'],
  Comma: [','],
  Percent: ['%'],
  Times: ['*'],
  DividedBy: ['/'],
  Plus: ['+'],
  Minus: ['-'],
  named_day: ['yesterday', 'today'],
  days: ['days', 'day'],
  weeks: ['weeks'],
};

const spell: Spell = ({ name }, random) => random.pick(SIGNS[name] ?? [name, name.toUpperCase()]);

const FROM = [...QUERIES.keys(), 'keyword_stats', 'stats'];
const OVERS = ['7 days', '30 days', 'month to date', 'yesterday', 'today', '1 day'];

const REAL = { check: checkRuleFile, describe: describeRule, parse: parseCondition };

/** Rule files: YAML around a grammar of its own. A text ends in a rule or in findings, and a rule can be described. */
export function ruleTarget(program: typeof REAL = REAL): Target {
  const catalogue = loadCatalogue('v25');
  const expression = (start: string, random: Random) =>
    writeByGrammar(expressionReader().grammar.getGAstProductions(), start, spell, random).replace(
      /\n| --.*| \/\*.*?\*\//g,
      ' ',
    );
  return {
    name: 'rule',
    tokens: [
      ...Object.values(SIGNS).flat(),
      ...'AND, OR, NOT, BETWEEN, IN (, LIKE, IS NULL, over 7 days, on yesterday'.split(', '),
      ...'same weekday over 4 weeks, over previous 7 days, pace budget to 3000 per month, set budget to'.split(', '),
      ...'decrease budget by 10%, when:, change:, limits:, alert:, pace:, from:, for:, over:, lasting:'.split(', '),
      ...'mode:, currency: EUR, {cost / clicks}, {{, >-\n, |\n, &a, *a, <<: *a'.split(', '),
    ],
    seeds: () => [
      ...textsIn('rules', '.yaml'),
      ...['rules.md', 'pacing.md'].flatMap((page) => examplesIn(page, ['yaml'])),
    ],
    generate: (random) =>
      ruleText({
        from: random.pick(FROM),
        for: random.pick(['campaign', 'account', 'budget', 'ad_group', 'keyword']),
        over: random.oneIn(3) ? undefined : random.pick(OVERS),
        where: random.oneIn(4) ? JSON.stringify(expression('condition', random)) : undefined,
        when: random.oneIn(8) ? undefined : JSON.stringify(expression('condition', random)),
        change: random.oneIn(3) ? undefined : JSON.stringify(expression('change', random)),
        alert: random.oneIn(2)
          ? `{ severity: warning, text: ${JSON.stringify(`{${expression('value', random)}}`)} }`
          : undefined,
        lasting: random.oneIn(6) ? random.pick(['2 days', '1 day', '14 days']) : undefined,
        limits: random.oneIn(3)
          ? `{ floor: 5, ceiling: 200, step: 20%, cooldown: ${random.pick(['3 days', '1 day'])} }`
          : undefined,
      }),
    judge(input) {
      const source = input.toString('utf8');
      const context = { version: 'v', catalogueOf: () => catalogue };
      const { rule, diagnostics } = program.check('a_rule', source, QUERIES, new Set(), context);
      claimFindings(source, diagnostics);
      const failed = diagnostics.some(({ severity }) => severity === 'error');
      claim((rule === undefined) === failed, () => 'A rule with errors, or none without errors');
      if (!rule) return;
      const described = program.describe(rule, 'apply');
      claim(described.description !== '', () => 'A rule that cannot be described');
      // The condition's own words, put back, are the same condition.
      if (described.when !== undefined) {
        const again = program.parse(described.when);
        claim(again.kind === 'ok', () => `The description of the condition is none: ${described.when}`);
      }
    },
  };
}
