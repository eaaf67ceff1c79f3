import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explainCode } from '../../../src/commands/check/explain-code.ts';
import { CODES } from '../../../src/language/gaql/codes.ts';
import { checkCurrencies } from '../../../src/language/rules/check/check-currencies.ts';
import { RULE_CODES, SHARED_CODES } from '../../../src/language/rules/file/rule-codes.ts';
import { checkText } from '../rule-fixtures.ts';

/** The files that refuse a change, not a text. */
const DECIDING = /rules\/(?:decide|evaluate|rule\.ts)|rule-codes|pacing\/(?!check|warn)/;

/** What looks like a code in the room's sources. */
function codesIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`)
    .filter((path) => !DECIDING.test(path))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)])
    .flatMap(([, code]) => code ?? []);
}

/** YAML's own names of its mistakes, and kinds of numbers. */
const NO_CODES =
  /^(DUPLICATE_KEY|MULTIPLE_|BLOCK_|TAB_|BAD_(ALIAS|INDENT|DIRECTIVE|DQ_|SCALAR|PROP|COLLECTION)|MISSING_CHAR|UNEXPECTED_TOKEN|KEY_OVER|NON_|COMMENT_|IMPOSSIBLE$|RESOURCE_NAME|DATE_TIME)/;

it('explains every code of rule and settings files, and no others', () => {
  const reported = new Set(
    [...codesIn('src/language/rules'), ...codesIn('src/language/yaml'), ...codesIn('src/language/csv')].filter(
      (code) => !NO_CODES.test(code),
    ),
  );
  expect(reported.size).toBeGreaterThan(20);
  expect([...reported].filter((code) => !CODES.has(code) && !RULE_CODES.has(code))).toEqual([]);
  expect([...RULE_CODES.keys()].filter((code) => !reported.has(code))).toEqual([]);
});

const DEFAULTS = {
  description: 'An example.',
  from: 'keyword_stats',
  for: 'campaign',
  over: '7 days',
  when: 'clicks >= 30',
  change: 'decrease budget by 10%',
  limits: '{ step: 20% }',
};

/** A rule with the example's keys, and those that it leaves out; the change and its limits, too, unless the example is an alert. */
function fileOf(example: string): string {
  const keys = new Set(example.split('\n').map((line) => line.split(':')[0]));
  if (keys.has('description')) return example;
  const acts = (key: string) => key === 'change' || key === 'limits';
  const rest = Object.entries(DEFAULTS).filter(
    ([key]) => !keys.has(key) && !(acts(key) && (keys.has('alert') || keys.has('change'))),
  );
  return [...rest.map(([key, value]) => `${key}: ${value}`), example].join('\n');
}

function findingsOf(example: string): { code: string; severity: string }[] {
  const { rule, diagnostics } = checkText(fileOf(example));
  const ofAll = rule ? checkCurrencies([rule], ['EUR', 'USD']).map(({ diagnostic }) => diagnostic) : [];
  return [...diagnostics, ...ofAll.filter(() => example.includes('cost > 50'))];
}

describe('examples of rule codes', () => {
  const examples = [...RULE_CODES, ...SHARED_CODES].filter(([, { of }]) => of === 'rule');

  it('exist', () => {
    expect(examples.length).toBeGreaterThan(15);
  });

  it.each(examples)('%s: the wrong example gets the code and no other error', (code, { wrong }) => {
    const found = findingsOf(wrong);
    const errors = found.filter(({ severity }) => severity === 'error').map((each) => each.code);
    expect(found.map((each) => each.code)).toContain(code);
    expect(errors.filter((each) => each !== code)).toEqual([]);
  });

  it.each(examples)('%s: the right example has no finding', (_, { right }) => {
    expect(findingsOf(right)).toEqual([]);
  });

  it.each(examples)('%s has an explanation in sentences', (_, { meaning }) => {
    expect(meaning).toMatch(/^\S.*\.$/);
  });
});

it('explains a code that queries and rules share for both', () => {
  expect(explainCode('BAD_SYMBOL', 100)).toMatch(/wrong:\n.*SELECT.*In a rule: .*when: clicks ≥ 30/s);
});
