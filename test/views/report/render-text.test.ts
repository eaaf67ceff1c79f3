import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { MessageResult } from '../../../src/language/results/report-result.ts';
import { renderReportText } from '../../../src/views/report/render-text.ts';
import { account, decision, outcome, result, slice } from './results.ts';

const HOSTILE = 'Evil \u001b[31mred\u0007\r\nsecond line 東京文具店 with a very long name that goes on and on and on';
const { customerId: ACCOUNT } = account(1);
const metrics = new Map<string, bigint | number>([
  ['impressions', 1234567n],
  ['clicks', 8272n],
  ['cost_micros', 8_366_714_999n],
]);
const about = { query: 'keyword_stats', customerId: ACCOUNT, days: undefined, currency: 'EUR', metrics };
const MESSAGE: MessageResult = {
  name: 'anna',
  channel: 'messages',
  recipient: 'whatsapp:+15…02',
  state: 'accepted',
  firstLine: HOSTILE,
  alerts: 3,
  counted: 1,
  instead: undefined,
  isLost: false,
  detail: undefined,
};
const unknown = outcome(12n, { state: 'unknown', outcome: HOSTILE });

const RESULT = result(
  {
    accounts: [{ ...account(1), name: HOSTILE }],
    slices: [slice(1, '2026-11-13', '2026-11-19', { rows: 12345n })],
    totals: [
      { ...about, campaign: undefined },
      ...Array.from({ length: 10 }, (_, index) => ({ ...about, campaign: { id: BigInt(index), name: HOSTILE } })),
    ],
    rules: [{ rule: 'trim', customerId: ACCOUNT, subjects: 3, fired: 1, unknown: 1, notEvaluated: undefined }],
    decisions: [decision({ kind: 'change', campaignName: HOSTILE, mode: undefined, intent: unknown })],
    messages: [MESSAGE],
    failures: [`The change of budget 5 has an unknown outcome: ${HOSTILE}`],
  },
  'report',
);

const plain = (width: number) => renderReportText(RESULT, { width, bold: (text) => text });

describe('the report in a terminal', () => {
  it.each([80, 100, 140])('stays within %d columns', (width) => {
    expect(
      plain(width)
        .split('\n')
        .filter((line) => stringWidth(line) > width),
    ).toEqual([]);
  });

  it('removes control characters and line breaks from names', () => {
    const text = plain(100);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text).not.toMatch(/^second line/m);
  });

  it('rounds totals, and says how many campaigns it leaves out', () => {
    const text = plain(140);
    expect(text).toContain('8,366.71 EUR');
    expect(text).toContain('1,234,567');
    expect(text).toContain('and 2 more campaigns');
  });

  it('shows campaigns once, for the query with the most clicks, and only accounts for other queries', () => {
    const fewer = { ...about, query: 'campaign_days', metrics: new Map([['clicks', 8000n]]) };
    const shoes = { id: 1n, name: 'Shoes' };
    const others = [
      { ...fewer, campaign: undefined },
      { ...fewer, campaign: shoes },
    ];
    const text = renderReportText(
      { ...RESULT, totals: [...others, { ...about, campaign: undefined }, { ...about, campaign: shoes }] },
      { width: 140, bold: (words) => words },
    );
    const [, ofDays = ''] = text.split('Totals of campaign_days\n');
    expect(ofDays.split('\n\n')[0]).toMatch(/^ {2}Account +Clicks\n {2}Evil .* 8,000$/);
    expect(text.match(/^ {4}Shoes/gm)).toHaveLength(1);
  });

  it('shows campaigns although a query without them has more clicks', () => {
    const ofAccount = { ...about, query: 'account_days', metrics: new Map([['clicks', 90_000n]]), campaign: undefined };
    const shoes = { id: 1n, name: 'Shoes' };
    const text = renderReportText(
      { ...RESULT, totals: [ofAccount, { ...about, campaign: undefined }, { ...about, campaign: shoes }] },
      { width: 140, bold: (words) => words },
    );
    expect(text).toMatch(/Totals of account_days\n {2}Account +Clicks\n/);
    expect(text.match(/^ {4}Shoes/gm)).toHaveLength(1);
  });

  it('begins with its failures', () => {
    expect(plain(140)).toMatch(
      /^.*\n\nFailed\n {2}.*\n\nDone with 1 failure: 12,345 rows read, 0 budgets changed, 3 alerts sent in 1 message \(1 summarised\)\.\n/,
    );
  });
});
