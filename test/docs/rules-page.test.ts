import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { ALERT_SEVERITIES } from '../../src/domain/channel.ts';
import { formatMoney } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { describeDays, resolveWindow } from '../../src/language/rules/evaluate/resolve-window.ts';
import { checkRuleFile } from '../../src/language/rules/file/rule-file.ts';
import { ruleSchema } from '../../src/language/rules/file/rule-schema.ts';
import { parseValue } from '../../src/language/rules/language/parse-expression.ts';
import type { Window } from '../../src/language/rules/language/window.ts';
import { MODES, SUBJECTS } from '../../src/language/rules/rule.ts';
import { decide } from '../rules/decide/guard-case.ts';
import { changeOf, type LimitTexts, money, past } from '../rules/decide/guard-fixtures.ts';

const PAGE = readFileSync('docs/rules.md', 'utf8');

const shippedQueries: ReadonlyMap<string, QueryFile> = new Map(
  readdirSync('queries').flatMap((file) => {
    if (!file.endsWith('.sql')) return [];
    const name = basename(file, '.sql');
    const { query } = checkQueryFile(name, readFileSync(join('queries', file), 'utf8'), {
      catalogue: loadCatalogue('v25'),
    });
    return query ? [[name, query] as const] : [];
  }),
);

const RULES = [...PAGE.matchAll(/^```yaml\n(description:.*?)^```$/gms)].map((match) => match[1] ?? '');

/** The cells of the rows below a header that begins with the words, without the signs of code. */
function table(header: string): string[][] {
  const [, below = ''] = PAGE.split(`\n| ${header} |`);
  const rows = below.split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The names of all keys, those of groups too. */
function keysOf(schema: object): string[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, object>> };
  return Object.entries(properties).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

describe('docs/rules.md', () => {
  const check = (source: string) =>
    checkRuleFile('a-rule', source, shippedQueries, new Set(), { version: '0123456789ab' });

  it('has rules that pass, with the shipped queries and any account currencies', () => {
    expect(RULES.length).toBeGreaterThan(3);
    const wrong = RULES.flatMap((source) => {
      const { rule, diagnostics } = check(source);
      const found = diagnostics.map(({ code, message }) => `${code}: ${message}`);
      if (rule?.amountAt && rule.currency === undefined) found.push('names an amount without a currency');
      return rule && found.length === 0 ? [] : [[source, found]];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['cost over previous 30 days > cost', 'WINDOW_LONGER_THAN_DATA'],
    ['cost / clicks over previous 7 days > 2', 'MIXED_WINDOWS'],
    ['cost > clicks', 'OPERATOR_FIELD_MISMATCH'],
    ["date = '2026-11-19'", 'SEGMENT_IN_RULE'],
  ])('has a finding for %s, like the checker', (when, code) => {
    const [first = ''] = RULES;
    expect(check(first.replace(/^when: .*$/m, `when: ${when}`)).diagnostics).toEqual([
      expect.objectContaining({ code }),
    ]);
  });

  it('names every key of a rule file and its values', () => {
    const keys = keysOf(ruleSchema());
    expect(keys).toEqual(expect.arrayContaining(['description', 'floor', 'severity']));
    const words = [...keys, ...MODES, ...ALERT_SEVERITIES, ...SUBJECTS];
    const isNamed = (word: string) => new RegExp(`\`${word}(?:: [^\`]*)?\``).test(PAGE);
    expect(words.filter((word) => !isNamed(word))).toEqual([]);
    expect(RULES.flatMap((rule) => /^for: (\w+)$/m.exec(rule)?.[1] ?? [])).toEqual(
      expect.arrayContaining(['campaign', 'budget', 'keyword']),
    );
  });

  it('gives the days of every window', () => {
    const own: Window = { kind: 'days', days: 7 };
    const calendar = {
      today: civilDate('2026-11-20'),
      lastSettled: civilDate('2026-11-19'),
      readToday: true,
      readHours: 14,
    };
    const rows = table('window | the days').map(([text = '', days = '']) => {
      const parsed = parseValue(`clicks ${text.startsWith('no window') ? '' : text}`);
      if (parsed.kind === 'refused') throw new Error(`${text} is no window.`);
      const window = parsed.tree.kind === 'windowed' ? parsed.tree.over.window : own;
      return { window, days };
    });
    const kinds: Readonly<Record<Window['kind'], true>> = {
      days: true,
      previous: true,
      month_to_date: true,
      yesterday: true,
      today: true,
      same_weekday: true,
    };
    expect(new Set(rows.map(({ window }) => window.kind))).toEqual(new Set(Object.keys(kinds)));
    expect(rows.map(({ window }) => describeDays(resolveWindow(window, own, calendar)))).toEqual(
      rows.map(({ days }) => days),
    );
    const previous = resolveWindow({ kind: 'previous', days: 30 }, { kind: 'month_to_date' }, calendar);
    expect(PAGE).toContain(
      `\`over: month to date\`, the window\n  \`over previous 30 days\` is ${describeDays(previous)}.`,
    );
  });

  it('states the result of a change to 40.00', () => {
    const rows = table('written | from 40.00 to');
    expect(rows.length).toBeGreaterThan(3);
    const made = rows.map(([text = '']) => {
      const { n, d } = changeOf(text, money('40')).target;
      return [text, formatMoney(n / d, 'EUR')];
    });
    expect(made).toEqual(rows.map(([text, to]) => [text, `${to} EUR`]));
  });

  it('states the effect of each limit on a requested change', () => {
    const rows = table('limit | the budget is | the rule asks for | it becomes | meaning').filter(
      ([, , , becomes]) => becomes !== '',
    );
    expect(rows.map(([limit = '']) => limit.split(':')[0])).toEqual(['step', 'drift', 'floor', 'ceiling']);
    for (const [limit = '', is = '', change = '', becomes = ''] of rows) {
      const [at = '', before] = is.match(/\d+\.\d\d/g) ?? [];
      const decision = decide({
        name: limit,
        at,
        reason: '',
        request: { change, limits: limitTexts(limit) },
        budget: { changes: before === undefined ? [] : [past('2026-11-10', 'rule', before, at)] },
      });
      expect([limit, decision.kind === 'change' && formatMoney(decision.to, 'EUR')]).toEqual([limit, `${becomes} EUR`]);
    }
  });
});

function limitTexts(limit: string): LimitTexts {
  const [name = '', value = ''] = limit.split(': ');
  const [share = '', days] = value.split(/ over | days/);
  return name === 'drift' ? { drift: [share, Number(days)] } : { [name]: value };
}
