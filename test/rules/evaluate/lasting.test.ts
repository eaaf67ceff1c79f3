import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { EvaluatedAccount } from '../../../src/language/rules/evaluate/evaluated-account.ts';
import { planLasting } from '../../../src/language/rules/evaluate/lasting.ts';
import { accountOf, evaluateAll, row, type TableRow, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';

const FAR: RuleText = { over: 'yesterday', when: 'clicks < 50', lasting: '2 days' };
const clicksOn = (ago: number, clicks: number): TableRow => row({ ago, clicks: BigInt(clicks) });

describe('a condition that must last', () => {
  it.each<[string, RuleText, TableRow[], string]>([
    ['one bad day fires nothing', FAR, [clicksOn(1, 10), clicksOn(2, 90)], 'false'],
    ['a bad day that is over fires nothing', FAR, [clicksOn(1, 90), clicksOn(2, 10)], 'false'],
    ['two bad days fire', FAR, [clicksOn(1, 10), clicksOn(2, 10)], 'true'],
    ['three days want three', { ...FAR, lasting: '3 days' }, [clicksOn(1, 10), clicksOn(2, 10)], 'unknown'],
    ['a day without rows is unknown, and does not fire', FAR, [clicksOn(1, 10), clicksOn(3, 10)], 'unknown'],
    [
      'what is false on one day is false, whatever is unknown on another',
      { ...FAR, lasting: '3 days' },
      [clicksOn(1, 10), clicksOn(3, 90)],
      'false',
    ],
    ['one day is as without the key', { ...FAR, lasting: '1 day' }, [clicksOn(1, 10), clicksOn(2, 90)], 'true'],
    [
      'sums over days move with it',
      { over: '2 days', when: 'clicks = 30', lasting: '2 days' },
      [clicksOn(1, 20), clicksOn(2, 10), clicksOn(3, 20)],
      'true',
    ],
    [
      'the days before move with it',
      { over: 'yesterday', when: 'clicks < clicks over previous 1 days', lasting: '2 days' },
      [clicksOn(1, 1), clicksOn(2, 2), clicksOn(3, 3)],
      'true',
    ],
    [
      'each day is compared with its own weekday',
      { over: 'yesterday', when: 'clicks < median(clicks) same weekday over 3 weeks', lasting: '2 days' },
      [clicksOn(1, 5), clicksOn(2, 50), ...[8, 15, 22].flatMap((ago) => [clicksOn(ago, 6), clicksOn(ago + 1, 60)])],
      'true',
    ],
  ])('%s', (_, text, rows, truth) => {
    expect(verdictOf(text, rows).truth).toBe(truth);
  });

  it('names the result of each day', () => {
    const said = (rows: readonly TableRow[], lasting = '2 days') => verdictOf({ ...FAR, lasting }, rows).explain();
    expect(said([clicksOn(1, 10), clicksOn(2, 12)])).toBe(
      'clicks (10) < 50, 2026-11-19; true on 2026-11-18 and 2026-11-19',
    );
    expect(said([clicksOn(1, 10), clicksOn(2, 90), clicksOn(4, 8)], '4 days')).toBe(
      'clicks (10) < 50, 2026-11-19; true on 2026-11-16 and 2026-11-19; false on 2026-11-18; unknown on 2026-11-17',
    );
    expect(said([clicksOn(1, 10)], '1 day')).toBe('clicks (10) < 50, 2026-11-19');
  });

  it('takes the values of a message, the attributes and the subjects from the newest day', () => {
    const alert = '{ severity: info, text: "{campaign_name}: {clicks}" }';
    const rows = [row({ clicks: 10n, campaign_name: 'Now' }), row({ ago: 2, clicks: 12n, campaign_name: 'Then' })];
    expect(verdictOf({ ...FAR, change: undefined, alert }, rows).alertText()).toBe('Now: 10');
    const [evaluation] = evaluateAll([ruleOf(FAR)], [clicksOn(2, 10)]);
    expect(evaluation).toEqual({ kind: 'evaluated', counts: { true: 0, false: 0, unknown: 0 }, verdicts: [] });
  });

  it('is not evaluated before each of its days is complete', () => {
    const settled = (day: CivilDate) => day !== '2026-11-18';
    expect(evaluateAll([ruleOf(FAR)], [clicksOn(1, 10)], accountOf(undefined, { settled }))).toMatchObject([
      { kind: 'not', reason: 'stats has no complete data for 2026-11-18' },
    ]);
  });
});

describe('the key "lasting"', () => {
  it.each(['0 days', '15 days', '2', 'two days', '2 weeks', '-1 days'])('refuses %s', (lasting) => {
    const { diagnostics } = checkText(ruleText({ lasting }));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      `Found "${lasting}" for "lasting", expected days from 1 to 14 such as "2 days".`,
    ]);
  });

  it.each([
    [
      '30 days of which one more is needed',
      { over: '30 days', lasting: '2 days' },
      '(including 1 more day for "lasting")',
    ],
    [
      'weekdays that reach just beyond',
      { over: 'yesterday', when: 'clicks > mean(clicks) same weekday over 4 weeks', lasting: '3 days' },
      '(including 2 more days for "lasting")',
    ],
  ])('counts against the days of the query: %s', (_, changes, words) => {
    const messages = checkText(ruleText(changes)).diagnostics.map(({ message }) => message);
    expect(messages).toEqual([expect.stringContaining(words)]);
  });

  it('needs a condition and complete days', () => {
    const messages = (changes: RuleText) => checkText(ruleText(changes)).diagnostics.map(({ message }) => message);
    const alert = "{ severity: info, text: 'x' }";
    const today = { from: 'so_far', over: 'today', when: 'clicks > 30', change: undefined, alert };
    expect(messages({ ...today, lasting: '2 days' })).toEqual([
      'Today is not complete, and "lasting" counts complete days.',
    ]);
    expect(messages(today)).toEqual([]);
    const paced = {
      when: undefined,
      over: undefined,
      change: 'pace budget to 3000 per month',
      currency: 'EUR',
      limits: '{ floor: 5 }',
    };
    expect(messages({ ...paced, lasting: '2 days' })).toEqual(['The rule has "lasting" but no condition.']);
  });

  it.each([
    ['29 days and one', { over: '29 days', lasting: '2 days' }],
    [
      'four weeks and one day',
      { over: 'yesterday', when: 'clicks > mean(clicks) same weekday over 4 weeks', lasting: '2 days' },
    ],
  ])('fits into thirty days: %s', (_, changes) => {
    expect(checkText(ruleText(changes)).diagnostics).toEqual([]);
  });
});

describe('holidays', () => {
  const WEEKDAY: RuleText = { over: 'yesterday', when: 'clicks < median(clicks) same weekday over 3 weeks' };
  const holiday = (...dates: string[]): Partial<EvaluatedAccount> => ({ holidays: new Set(dates.map(civilDate)) });
  const at = (changes: Partial<EvaluatedAccount>) => accountOf(undefined, changes);

  it('stop only rules that compare weekdays, on the day after', () => {
    const account = at(holiday('2026-11-19'));
    const reason = '2026-11-19 is a holiday, and rules do not compare holidays with other days';
    const [compares, sums] = evaluateAll(
      [ruleOf(WEEKDAY), ruleOf({ ...FAR, lasting: undefined })],
      [clicksOn(1, 1)],
      account,
    );
    expect(compares).toMatchObject({ kind: 'not', reason });
    expect(sums).toMatchObject({ counts: { true: 1 } });
  });

  it('are replaced by an earlier week', () => {
    const rows = [clicksOn(1, 50), clicksOn(8, 60), clicksOn(15, 1), clicksOn(22, 60), clicksOn(29, 60)];
    const verdict = verdictOf(WEEKDAY, rows, at(holiday('2026-11-05')));
    expect(verdict.explain()).toBe(
      'clicks (50) < median(clicks) same weekday over 3 weeks (60), 2026-11-19; same weekday over 3 weeks: 2026-10-22, 2026-10-29 and 2026-11-12',
    );
  });

  it('make the value unknown, with the reason, if there is no earlier week', () => {
    const settled = (day: CivilDate) => day >= addDays(TODAY, -22);
    const rows = [clicksOn(1, 50), clicksOn(8, 60), clicksOn(22, 60)];
    const verdict = verdictOf(WEEKDAY, rows, at({ ...holiday('2026-11-05'), settled }));
    expect(verdict.truth).toBe('unknown');
    expect(verdict.explain()).toContain('(unknown: only 2 of 2026-10-29 and 2026-11-12 have rows)');
  });

  it('do not count for lasting', () => {
    const days = (text: RuleText, ...dates: string[]) =>
      planLasting(ruleOf(text), at(holiday(...dates))).earlier.map(({ asOf }) => asOf);
    const lasting = { ...WEEKDAY, lasting: '3 days' };
    expect(days(lasting)).toEqual(['2026-11-18', '2026-11-17']);
    expect(days(lasting, '2026-11-18', '2026-11-16')).toEqual(['2026-11-17', '2026-11-15']);
    expect(days({ ...FAR, lasting: '3 days' }, '2026-11-18')).toEqual(['2026-11-18', '2026-11-17']);
  });
});

describe('conversions compared with the same weekday', () => {
  const FEW: RuleText = {
    from: 'quarter',
    over: '1 day',
    when: 'conversions < 0.5 * median(conversions) same weekday over 3 weeks',
  };
  /** Complete for conversions is 2026-11-12, eight days ago. */
  const at = (...holidays: string[]) =>
    accountOf(undefined, {
      lastSettled: addDays(TODAY, -8),
      conversionDays: 7,
      holidays: new Set(holidays.map(civilDate)),
    });
  const convertedOn = (ago: number, conversions: number): TableRow => row({ ago, conversions });
  const usual = [15, 22, 29, 36].flatMap((ago) => [convertedOn(ago, 10), convertedOn(ago + 1, 20)]);
  const newest = (conversions: number, dayBefore: number) => [
    convertedOn(8, conversions),
    convertedOn(9, dayBefore),
    ...usual,
  ];

  it('count back from the newest day that is complete for conversions', () => {
    // Conversions of the last week may still arrive.
    const late = [1, 2, 3, 4, 5, 6, 7].map((ago) => convertedOn(ago, 0));
    const verdict = verdictOf(FEW, [...newest(4, 20), ...late], at());
    expect(verdict.truth).toBe('true');
    expect(verdict.explain()).toContain(
      '2026-11-12; same weekday over 3 weeks: 2026-10-22, 2026-10-29 and 2026-11-05 (complete for conversions after 7 days)',
    );
    expect(verdictOf(FEW, [...newest(5, 20), ...late], at()).truth).toBe('false');
  });

  it('are unknown without three weekdays with rows', () => {
    expect(verdictOf(FEW, [convertedOn(8, 0), convertedOn(15, 10), convertedOn(22, 10)], at()).truth).toBe('unknown');
  });

  it('skip holidays among the weekdays, and stop only if the compared day is one', () => {
    const verdict = verdictOf(FEW, newest(4, 20), at('2026-11-05', '2026-11-19'));
    expect(verdict.truth).toBe('true');
    expect(verdict.explain()).toContain('2026-10-15, 2026-10-22 and 2026-10-29');
    const [evaluation] = evaluateAll([ruleOf(FEW)], newest(4, 20), at('2026-11-12'));
    const reason = '2026-11-12 is a holiday, and rules do not compare holidays with other days';
    expect(evaluation).toMatchObject({ kind: 'not', reason });
  });

  it('last on consecutive complete days, each with its own weekday', () => {
    const lasting = { ...FEW, lasting: '2 days' };
    expect(verdictOf(lasting, newest(4, 9), at()).truth).toBe('true');
    // Half of a Wednesday is more than half of a Thursday.
    expect(verdictOf(lasting, newest(4, 10), at()).truth).toBe('false');
    const days = (...holidays: string[]) =>
      planLasting(ruleOf(lasting), at(...holidays)).earlier.map(({ asOf }) => asOf);
    expect([days(), days('2026-11-11')]).toEqual([['2026-11-11'], ['2026-11-10']]);
  });
});
