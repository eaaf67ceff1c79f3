import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { check, place, placesOf, sent } from '../findings.ts';

const S = 'SELECT campaign.id FROM campaign';
const W = `${S} WHERE campaign.id`;

describe('many spellings', () => {
  const CANONICAL =
    "SELECT campaign.id, campaign.name FROM campaign WHERE campaign.status IN (ENABLED, PAUSED) AND campaign.name != 'x' ORDER BY campaign.id DESC, campaign.name LIMIT 50";
  it.each([
    ['the printed form itself', CANONICAL],
    ['a trailing semicolon', `${CANONICAL} ;`],
    [
      'keywords in lower case',
      "select campaign.id, campaign.name from campaign where campaign.status in (ENABLED, PAUSED) and campaign.name != 'x' order by campaign.id desc, campaign.name limit 50",
    ],
    [
      'keywords in mixed case, without optional spaces',
      "Select campaign.id,campaign.name From campaign Where campaign.status In(ENABLED,PAUSED)And campaign.name!='x'Order By campaign.id Desc,campaign.name Asc Limit 50;",
    ],
    [
      'a word per line, with comments between',
      `-- What it is for.\n${CANONICAL.replaceAll(' ', ' -- a word\n  ')}\n-- The end; really.`,
    ],
    ['line ends of Windows', CANONICAL.replaceAll(' ', '\r\n')],
    ['old Mac line ends', CANONICAL.replaceAll(' ', '\r')],
    ['tabs', CANONICAL.replaceAll(' ', '\t\t')],
    ['a byte order mark', `\uFEFF${CANONICAL}`],
    ['no-break spaces', CANONICAL.replaceAll(' ', '\u00a0')],
  ])('B13: sends %s as the same text', (_, source) => {
    expect(sent(source)).toBe(CANONICAL);
  });

  it.each([
    ['a bare ordering is ascending', `${S} ORDER BY campaign.id`, `${S} ORDER BY campaign.id`],
    ['IS NULL', `${W} is   null`, `${W} IS NULL`],
    ['IS NOT NULL', `${W} is not\nnull`, `${W} IS NOT NULL`],
    ['NOT IN', `${W} not in(1,2)`, `${W} NOT IN (1, 2)`],
    ['BETWEEN', `${W} between 1 and 2`, `${W} BETWEEN 1 AND 2`],
    ['a negative number', `${W}>-5`, `${W} > -5`],
    ['NOT LIKE', `${S} WHERE campaign.name not like 'a%'`, `${S} WHERE campaign.name NOT LIKE 'a%'`],
    [
      'a period in lower case',
      `${S} WHERE segments.date during last_7_days`,
      `${S} WHERE segments.date DURING LAST_7_DAYS`,
    ],
    ['LIMIT at its largest', `${S} LIMIT 2147483647`, `${S} LIMIT 2147483647`],
  ])('B13: %s has one printed form', (_, source, text) => {
    expect(sent(source)).toBe(text);
  });

  it('keywords may begin a name', () => {
    const source = 'SELECT fromage.selected, order_count FROM inventory WHERE notes.android = 1 ORDER BY limits.by';
    const { tree, diagnostics } = parseQuery(source);
    expect(diagnostics).toEqual([]);
    expect(printQuery(tree)).toBe(source);
  });
});

describe('text in quotes is sent exactly as written', () => {
  it.each([
    "'a FROM b'",
    "' LIMIT 5 '",
    "'a; b'",
    "'PLA #1 -- brand'",
    "'{x}'",
    "':today'",
    "'https://x'",
    "'/* no comment */'",
    "'/* no'",
    "'%100[%]_'",
    '"double"',
    '"it\'s"',
    "'it\\'s'",
    "'a\\\\'",
    "'\\n\\r\\t\\\"'",
    "'\\' -- no'",
    "''",
    "'  spaces  '",
    "'tab\tinside'",
    "'naïve 日本 😀'",
    "'SELECT * FROM x WHERE y IN (1) ORDER BY z'",
  ])('B13: %s', (literal) => {
    const text = `${S} WHERE campaign.name = ${literal} AND campaign.name NOT IN (${literal})`;
    expect(sent(`${text} -- so`)).toBe(text);
  });

  it('resolves escapes', () => {
    const { tree } = parseQuery(`${S} WHERE campaign.name = 'it\\'s \\\\ \\"a\\"\\n\\t'`);
    expect(tree.where[0]).toMatchObject({ values: [{ kind: 'string', text: 'it\'s \\ "a"\n\t' }] });
  });
});

describe('every mistake has one message at its own place', () => {
  it.each([
    ['no SELECT', 'campaign.id FROM campaign', ['EXPECTED_SELECT 1:1-1:12']],
    ['FROM first', 'FROM campaign', ['EXPECTED_SELECT 1:1-1:5']],
    ['no field', 'SELECT FROM campaign', ['BAD_FIELD_NAME 1:8-1:12']],
    ['a comma before FROM', 'SELECT campaign.id, FROM campaign', ['BAD_FIELD_NAME 1:21-1:25']],
    ['a comma first', 'SELECT , campaign.id FROM campaign', ['BAD_FIELD_NAME 1:8-1:9']],
    ['two commas', 'SELECT campaign.id,, campaign.name FROM campaign', ['BAD_FIELD_NAME 1:20-1:21']],
    ['no comma', 'SELECT campaign.id campaign.name FROM campaign', ['UNEXPECTED_INPUT 1:20-1:33']],
    ['no FROM', 'SELECT campaign.id', ['UNEXPECTED_END_OF_QUERY 1:19-1:19']],
    ['another word instead of FROM', 'SELECT campaign.id; FROM campaign', ['EXPECTED_FROM 1:19-1:20']],
    ['no resource', 'SELECT campaign.id FROM', ['UNEXPECTED_END_OF_QUERY 1:24-1:24']],
    ['a number for a resource', 'SELECT campaign.id FROM 5', ['BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:25-1:26']],
    ['two resources', `${S}, ad_group`, ['UNEXPECTED_INPUT 1:33-1:34']],
    ['an empty WHERE', `${S} WHERE`, ['UNEXPECTED_END_OF_QUERY 1:39-1:39']],
    ['AND first', `${S} WHERE AND campaign.id = 5`, ['BAD_FIELD_NAME 1:40-1:43']],
    ['AND last', `${W} = 5 AND`, ['UNEXPECTED_END_OF_QUERY 1:59-1:59']],
    ['no AND', `${W} = 5 campaign.id = 6`, ['EXPECTED_AND 1:56-1:71']],
    ['OR', `${W} = 5 OR campaign.id = 6`, ['EXPECTED_AND 1:56-1:58']],
    ['no operator', `${W} 5`, ['BAD_OPERATOR 1:52-1:53']],
    ['NOT alone', `${W} NOT 5`, ['BAD_OPERATOR 1:52-1:55']],
    ['IS with a value', `${W} IS 5`, ['BAD_OPERATOR 1:55-1:56']],
    ['IS NOT with a value', `${W} IS NOT 5`, ['BAD_OPERATOR 1:59-1:60']],
    ['no value', `${W} =`, ['UNEXPECTED_END_OF_QUERY 1:53-1:53']],
    ['a keyword for a value', `${W} = AND campaign.id = 6`, ['BAD_VALUE 1:54-1:57']],
    ['BETWEEN without AND', `${W} BETWEEN 1 2`, ['EXPECTED_AND 1:62-1:63']],
    ['BETWEEN with one value', `${W} BETWEEN 1`, ['UNEXPECTED_END_OF_QUERY 1:61-1:61']],
    ['IN without a list', `${W} IN 1`, ['EXPECTED_LIST 1:55-1:56']],
    ['IN without a list, and more after it', `${W} IN 1 LIMIT 5`, ['EXPECTED_LIST 1:55-1:56']],
    ['an empty list', `${W} IN ()`, ['PROHIBITED_EMPTY_LIST_IN_CONDITION 1:55-1:57']],
    ['a list without a comma', `${W} IN (1 2)`, ['EXPECTED_LIST 1:58-1:59']],
    ['a list with a comma first', `${W} IN (,1)`, ['EXPECTED_LIST 1:56-1:57']],
    ['a list with a comma last', `${W} IN (1,)`, ['EXPECTED_LIST 1:57-1:58']],
    ['a list that is not closed', `${W} IN (1, 2`, ['UNEXPECTED_END_OF_QUERY 1:60-1:60']],
    ['ORDER without BY', `${S} ORDER campaign.id`, ['EXPECTED_BY 1:40-1:51']],
    ['ORDER BY nothing', `${S} ORDER BY`, ['UNEXPECTED_END_OF_QUERY 1:42-1:42']],
    ['two directions', `${S} ORDER BY campaign.id DESC ASC`, ['UNEXPECTED_INPUT 1:60-1:63']],
    ['LIMIT 0', `${S} LIMIT 0`, ['LIMIT_VALUE_TOO_LOW 1:40-1:41']],
    ['LIMIT -1', `${S} LIMIT -1`, ['LIMIT_VALUE_TOO_LOW 1:40-1:42']],
    ['LIMIT 1.5', `${S} LIMIT 1.5`, ['BAD_LIMIT_VALUE 1:40-1:43']],
    ['LIMIT beyond int32', `${S} LIMIT 2147483648`, ['BAD_LIMIT_VALUE 1:40-1:50']],
    ['LIMIT in quotes', `${S} LIMIT '5'`, ['BAD_LIMIT_VALUE 1:40-1:43']],
    ['LIMIT in words', `${S} LIMIT ten`, ['BAD_LIMIT_VALUE 1:40-1:43']],
    ['LIMIT without a number', `${S} LIMIT`, ['UNEXPECTED_END_OF_QUERY 1:39-1:39']],
    ['LIMIT before a clause', `${S} LIMIT PARAMETERS include_drafts = true`, ['BAD_LIMIT_VALUE 1:40-1:50']],
    ['LIMIT twice', `${S} LIMIT 5 LIMIT 6`, ['UNEXPECTED_INPUT 1:42-1:47']],
    ['clauses out of order', `${S} LIMIT 5 WHERE campaign.id = 1`, ['UNEXPECTED_INPUT 1:42-1:47']],
    ['two queries', `${S};\n${S}`, ['UNEXPECTED_INPUT 2:1-2:7']],
    ['a symbol last', `${W} = %`, ['BAD_SYMBOL 1:54-1:55']],
    ['a quote that is not closed', `${S} WHERE campaign.name = 'x`, ['STRING_NOT_TERMINATED 1:56-1:58']],
    [
      'an unclosed quote on one of several lines',
      `${S}\nWHERE campaign.name = 'x\n  AND campaign.id = 5\nLIMIT 5`,
      ['STRING_NOT_TERMINATED 2:23-2:25'],
    ],
    ['a quote that only an escape closes', `${S} WHERE campaign.name = 'x\\'`, ['STRING_NOT_TERMINATED 1:56-1:60']],
    ['an escape that does not exist', `${S} WHERE campaign.name = 'a\\qb'`, ['BAD_ESCAPE_SEQUENCE 1:56-1:62']],
  ])('%s', (_, source, places) => {
    expect(parseQuery(source).diagnostics.map(place)).toEqual(places);
  });

  it('counts lines and columns over every kind of line end and tab', () => {
    expect(placesOf('SELECT\r\n\tcampaign.nam,\r\n\tcampaign.idd\rFROM campaign\n\tLIMIT 0')).toEqual([
      'UNRECOGNIZED_FIELD 2:2-2:14',
      'UNRECOGNIZED_FIELD 3:2-3:14',
      'LIMIT_VALUE_TOO_LOW 5:8-5:9',
    ]);
  });

  it('distinguishes look-alike letters: a Cyrillic с is not c', () => {
    const { diagnostics } = check('SELECT сampaign.id FROM campaign');
    expect(diagnostics[0]).toMatchObject({
      code: 'BAD_SYMBOL',
      message: 'Found "сampaign.id": its letter с (U+0441) only looks Latin.',
      hint: 'Type it again: campaign.id.',
    });
  });

  it('reports what was found and what was expected', () => {
    const messages = [
      `${W} LIKEE 5`,
      `${W} <> 5`,
      `${W} constructor 5`,
      `${W} = 5 OR campaign.id = 6`,
      'SELECT campaign.id',
      `${S} LIMIT 0`,
      `${S} ORDER campaign.id`,
      `${S} LIMIT 5 WHERE campaign.id = 1`,
      `${S} WHERE campaign.name = 'a\\qb'`,
    ].flatMap((source) =>
      parseQuery(source).diagnostics.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)),
    );
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "Unknown operator "LIKEE". Did you mean LIKE?
      Unknown operator "<>". Did you mean !=?
      Unknown operator "constructor". Operators are =, !=, <, <=, >, >=, IN, NOT IN, CONTAINS ANY, CONTAINS ALL, CONTAINS NONE, LIKE, NOT LIKE, REGEXP_MATCH, NOT REGEXP_MATCH, BETWEEN, DURING, IS NULL, IS NOT NULL.
      Found OR, expected AND: the query language has no OR. Use IN (…) for several values of one field, or write two query files.
      The query ends after "campaign.id", expected FROM and a resource such as keyword_view. Add FROM and a resource, for example FROM campaign.
      Found "0", expected a whole number from 1 to 2147483647 after LIMIT.
      Found "campaign.id", expected BY after ORDER.
      Found "WHERE", expected the clauses in the order SELECT, FROM, WHERE, ORDER BY, LIMIT, PARAMETERS, each once.
      Found the escape "\\\\q", expected one of \\\\ \\' \\" \\n \\r \\t. Write \\\\ for a backslash. In LIKE, write [%] and [_] to match the characters % and _."
    `);
  });
});

describe('several mistakes', () => {
  it('are all reported once, in text order', () => {
    const source = [
      'SELECT',
      '  campaign.nam,',
      '  metrics.clicks metrics.impressions',
      'FROM campain',
      'WHERE campaign.status = ENABELD',
      "  OR campaign.name = 'x",
      '  AND metrics.clicks => 5',
      '  AND segments.date DURING LAST_8_DAYS',
      'ORDER BY metrics.clickz',
      'LIMIT 0',
    ].join('\n');
    expect(placesOf(source)).toEqual([
      ...'UNRECOGNIZED_FIELD 2:3-2:15, UNEXPECTED_INPUT 3:18-3:37'.split(', '),
      ...'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 4:6-4:13, BAD_ENUM_CONSTANT 5:25-5:32, EXPECTED_AND 6:3-6:5'.split(', '),
      ...'STRING_NOT_TERMINATED 6:22-6:24, BAD_OPERATOR 7:22-7:24'.split(', '),
      ...'INVALID_VALUE_WITH_DURING_OPERATOR 8:28-8:39, UNRECOGNIZED_FIELD 9:10-9:24'.split(', '),
      'LIMIT_VALUE_TOO_LOW 10:7-10:8',
    ]);
  });

  it.each([
    ['a word after a bad operator', `${W} LIKEE 5 AND AND`, ['BAD_OPERATOR 1:52-1:57', 'BAD_FIELD_NAME 1:64-1:67']],
    ['a template', `${S} {x}`, ['BAD_SYMBOL 1:34-1:37']],
    ['a date without quotes', `${S} WHERE segments.date = 2026-01-01`, ['INVALID_DATE_FORMAT 1:56-1:66']],
    ['no FROM, and no date findings', 'SELECT segments.date', ['UNEXPECTED_END_OF_QUERY 1:21-1:21']],
  ])('do not follow from one: %s', (_, source, places) => {
    expect(placesOf(source)).toEqual(places);
  });
});
