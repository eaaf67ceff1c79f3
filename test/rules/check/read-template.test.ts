import { describe, expect, it } from 'vitest';
import { place } from '../../gaql/findings.ts';
import { checkText, ruleOf, ruleText } from '../rule-fixtures.ts';
import { resolved } from '../shape.ts';

const alert = (text: string) => `{ text: ${JSON.stringify(text)} }`;
const partsOf = (text: string) =>
  ruleOf({ alert: alert(text) }).alert?.text.map((part) =>
    part.kind === 'text' ? part.text : [resolved(part.value), part.money],
  );
const findingsOf = (written: string) =>
  checkText(ruleText({ alert: written })).diagnostics.map(
    (found) => `${place(found)} ${found.message}${found.hint ? ` ${found.hint}` : ''}`,
  );

describe('the text of an alert', () => {
  it.each([
    ['has no values', 'Nothing was spent.', ['Nothing was spent.']],
    [
      'has values between',
      '{campaign_name}: {clicks} clicks',
      [['@campaign_name', false], ': ', ['sum[clicks over 7 days]', false], ' clicks'],
    ],
    [
      'has amounts',
      '{cost on yesterday}{budget}',
      [
        ['sum[cost_micros÷1000000 on yesterday]', true],
        ['BUDGET', true],
      ],
    ],
    [
      'has amounts of clicks',
      '{cost / clicks}',
      [['(sum[cost_micros÷1000000 over 7 days] / sum[clicks over 7 days])', true]],
    ],
    [
      'has shares of amounts, which are not amounts',
      '{cost / budget}',
      [['(sum[cost_micros÷1000000 over 7 days] / BUDGET)', false]],
    ],
    ['has braces', '{{{clicks}}} {{}}', ['{', ['sum[clicks over 7 days]', false], '} {}']],
    ['has a value with braces within', `{coalesce(campaign_name, '}{')}`, [['coalesce(@campaign_name, "}{")', false]]],
    ['has a value on two lines', '{clicks\n+ 1}', [['(sum[clicks over 7 days] + 1)', false]]],
  ])('%s', (_, text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });

  it('is refused with the position of each mistake', () => {
    const texts = [
      '{clicks',
      '{clickz} and {costs / clicks}',
      'a } b',
      '{} {  }',
      '{clicks > 3}',
      '{clicks +}',
      '{clicks {cost}}',
      '{clicks | round}',
      '{clicks, cost}',
      "{'a}",
      '{clicks over 60 days}',
      '{sum(clicks)}',
    ];
    const lines = texts.map((text) => `${text} → ${findingsOf(`{ text: "${text}" }`).join(' | ')}`);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "{clicks → BAD_TEMPLATE 7:17-7:24 This opening brace has no closing brace. Write {{ to show a brace.
      {clickz} and {costs / clicks} → UNRECOGNIZED_FIELD 7:18-7:24 Unknown column "clickz". Did you mean clicks? | UNRECOGNIZED_FIELD 7:31-7:36 Unknown column "costs". Did you mean cost?
      a } b → BAD_TEMPLATE 7:19-7:20 This closing brace has no opening brace. Write }} to show a brace.
      {} {  } → BAD_TEMPLATE 7:17-7:19 Found empty braces, expected a value such as {cost / clicks}. Write {{}} to show the braces. | BAD_TEMPLATE 7:20-7:24 Found empty braces, expected a value such as {cost / clicks}. Write {{}} to show the braces.
      {clicks > 3} → UNEXPECTED_INPUT 7:25-7:26 Found ">", expected +, -, *, / or the end of the value.
      {clicks +} → UNEXPECTED_END_OF_QUERY 7:26-7:27 The value ends too early, expected a value: a column, a number, text in quotes or a value in parentheses.
      {clicks {cost}} → BAD_TEMPLATE 7:17-7:32 This opening brace has no closing brace. Write {{ to show a brace.
      {clicks | round} → BAD_SYMBOL 7:25-7:26 Found "|", which has no meaning in a condition. Put text in quotes.
      {clicks, cost} → UNEXPECTED_INPUT 7:24-7:25 Found ",", expected +, -, *, / or the end of the value.
      {'a} → BAD_TEMPLATE 7:17-7:21 This opening brace has no closing brace. Write {{ to show a brace.
      {clicks over 60 days} → WINDOW_LONGER_THAN_DATA 7:25-7:37 "over 60 days" starts 60 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-60 AND :yesterday. Or shorten the window.
      {sum(clicks)} → BAD_FUNCTION 7:18-7:21 Unknown function "sum". A metric is already the sum over its days. For an average, divide it: clicks over 7 days / 7."
    `);
  });

  it('has positions in folded text, too', () => {
    const written = '\n  text: >-\n    Look at\n    {campaign_name}: {clickz}';
    expect(findingsOf(written).map((found) => found.split(' ').slice(0, 2).join(' '))).toEqual([
      'UNRECOGNIZED_FIELD 10:23-10:29',
    ]);
  });

  it.each([
    ['too long', 'x'.repeat(2_001)],
    ['too many values', '{clicks}'.repeat(21)],
  ])('is refused if it is %s', (_, text) => {
    expect(checkText(ruleText({ alert: alert(text) })).diagnostics.map(({ code }) => code)).toEqual(['BAD_TEMPLATE']);
  });
});
