import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printed, S, syntaxOf, W } from './readings.ts';

describe('every operator', () => {
  it.each([
    ['equals', '=', '1'],
    ['differs', '!=', '1'],
    ['less', '<', '1'],
    ['at most', '<=', '1'],
    ['greater', '>', '1'],
    ['at least', '>=', '1'],
    ['one of a list', 'IN', '(1, 2)'],
    ['none of a list', 'NOT IN', '(1, 2)'],
    ['a pattern', 'LIKE', "'a%'"],
    ['no such pattern', 'NOT LIKE', "'a%'"],
    ['an expression', 'REGEXP_MATCH', "'.*a'"],
    ['no such expression', 'NOT REGEXP_MATCH', "'.*a'"],
    ['any of a list in a repeated field', 'CONTAINS ANY', "('a', 'b')"],
    ['all of a list in a repeated field', 'CONTAINS ALL', "('a')"],
    ['nothing of a list in a repeated field', 'CONTAINS NONE', '(A, B)'],
    ['a range', 'BETWEEN', '1 AND 2'],
    ['a period', 'DURING', 'LAST_7_DAYS'],
    ['no value', 'IS NULL', ''],
    ['a value', 'IS NOT NULL', ''],
  ])('%s is read in any letter case and printed in one', (_, operator, operand) => {
    const text = `${W} ${operator} ${operand}`.trim();
    expect(printed(text)).toBe(text);
    expect(printed(`${W}\n\t${operator.toLowerCase()}\r\n${operand};`)).toBe(text);
  });

  it.each([
    ['signs', `${W}=1 AND campaign.id!=2 AND campaign.id<3 AND campaign.id>=-4`],
    ['lists', `${W} IN(1,2)AND campaign.id NOT IN(3)AND campaign.id CONTAINS ANY('a')`],
    ['texts', `${W} LIKE'a'AND campaign.id REGEXP_MATCH"b"LIMIT 5`],
    ['parameters', `${S} PARAMETERS include_drafts=true,omit_unselected_resource_names=false`],
  ])('needs no optional space: %s', (_, source) => {
    expect(syntaxOf(source)).toEqual([]);
  });
});

describe('words that are keywords in one position only', () => {
  it.each([
    ['ANY, ALL and NONE are constants', `${W} IN (ANY, ALL, NONE)`],
    ['NONE is a value after NONE', `${W} CONTAINS NONE (NONE)`],
    ['any is a value of a comparison', `${W} = any AND campaign.name != All`],
    ['any names a column', 'SELECT campaign.id AS any, campaign.name AS none FROM campaign'],
    ['all is a resource', 'SELECT all.id FROM all'],
    ['a request parameter is called all', `${S} PARAMETERS all = none`],
    [
      'a name begins with a keyword',
      'SELECT selected.id, from_a.b, order_by.c, ascii.d FROM likely WHERE android.id = 1',
    ],
    ['a name ends with a keyword', 'SELECT a.select, a.from, a.where FROM b WHERE a.in IN (1) ORDER BY a.by DESC'],
    ['a constant begins with a keyword', `${W} IN (NOT_SET, IN_REVIEW, AND_MORE, NULLED, LIKELY, ISO)`],
    [
      'a column is called like the beginning of a keyword',
      'SELECT campaign.id AS asc_rank, a.b AS ordering FROM campaign',
    ],
  ])('%s', (_, source) => {
    expect(printed(source)).toBe(source);
  });
});

describe('columns, parameters and values from outside', () => {
  it.each([
    ['a column', 'SELECT metrics.clicks as c FROM campaign', 'SELECT metrics.clicks AS c FROM campaign'],
    ['some columns of several', 'SELECT a.b AS c, d.e, f.g AS h FROM i', 'SELECT a.b AS c, d.e, f.g AS h FROM i'],
    ['a placeholder', `${W} = :id`, `${W} = :id`],
    ['days before a placeholder', `${W} BETWEEN :today-7 AND :today+0`, `${W} BETWEEN :today-7 AND :today+0`],
    ['minus zero days equals plus zero days', `${W} = :today-0`, `${W} = :today+0`],
    ['digits that count nothing', `${W} = :today-007`, `${W} = :today-7`],
    ['a list of placeholders', `${W} IN (:ids,1)`, `${W} IN (:ids, 1)`],
    ['a period from outside', `${W} DURING :period`, `${W} DURING :period`],
    ['a request parameter', `${S} LIMIT 5 parameters a=TRUE`, `${S} LIMIT 5 PARAMETERS a = TRUE`],
    ['a text for a request parameter', `${S} PARAMETERS a = 'b', c = 5`, `${S} PARAMETERS a = 'b', c = 5`],
  ])('%s', (_, source, text) => {
    expect(printed(source)).toBe(text);
  });

  it.each([
    ['more days than a number holds', `${W} = :today-1234567`, ['BAD_VALUE 1:54-1:68']],
    ['days with a space', `${W} = :today - 7`, ['BAD_SYMBOL 1:61-1:62']],
    ['a colon alone', `${W} = : id`, ['BAD_SYMBOL 1:54-1:55']],
    ['a placeholder for a field', 'SELECT :field FROM campaign', ['BAD_FIELD_NAME 1:8-1:14']],
    ['a placeholder for a resource', 'SELECT campaign.id FROM :r', ['BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:25-1:27']],
    ['a placeholder in LIMIT', `${S} LIMIT :n`, ['BAD_LIMIT_VALUE 1:40-1:42']],
    ['a placeholder in PARAMETERS', `${S} PARAMETERS a = :x+5`, ['BAD_PARAMETER_VALUE 1:49-1:53']],
    ['a placeholder where a list belongs', `${W} IN :ids`, ['EXPECTED_LIST 1:55-1:59']],
    ['a request parameter without a value', `${S} PARAMETERS a`, ['UNEXPECTED_END_OF_QUERY 1:46-1:46']],
    ['a request parameter without =', `${S} PARAMETERS a true`, ['BAD_PARAMETER_NAME 1:47-1:51']],
    ['a request parameter without a name', `${S} PARAMETERS = true`, ['BAD_PARAMETER_NAME 1:45-1:46']],
    ['a request parameter compared', `${S} PARAMETERS a > true`, ['BAD_OPERATOR 1:47-1:48']],
    ['PARAMETERS before LIMIT', `${S} PARAMETERS a = true LIMIT 5`, ['UNEXPECTED_INPUT 1:54-1:59']],
    ['AS without a column', 'SELECT campaign.id AS FROM campaign', ['BAD_ALIAS 1:23-1:27']],
    ['AS twice', 'SELECT campaign.id AS AS x FROM campaign', ['BAD_ALIAS 1:23-1:25']],
    ['a keyword for a column', 'SELECT campaign.id AS limit FROM campaign', ['BAD_ALIAS 1:23-1:28']],
    ['a number for a column', 'SELECT campaign.id AS 5 FROM campaign', ['BAD_ALIAS 1:23-1:24']],
    ['AS after the resource', `${S} AS c`, ['UNEXPECTED_INPUT 1:34-1:36']],
  ])('are refused: %s', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });
});

describe('numbers', () => {
  it.each(['0', '5', '-5', '1.5', '-0.25', '007', '9223372036854775807', '123456789012345678901234567890'])(
    '%s is sent as written',
    (number) => {
      expect(printed(`${W} = ${number}`)).toBe(`${W} = ${number}`);
    },
  );

  it.each(['1e6', '.5', '1.', '1_000', '0x10', '5k', '1.2.3', '-.5'])('%s is one bad number', (number) => {
    expect(syntaxOf(`${W} = ${number} LIMIT 5`)).toEqual([`BAD_NUMBER 1:54-1:${54 + number.length}`]);
  });
});

describe('text', () => {
  it.each([
    ['every escape', `'\\\\ \\' \\" \\n \\r \\t'`, `\\ ' " \n \r \t`],
    ['a double quote between single ones', `'say "a"'`, 'say "a"'],
    ['a single quote between double ones', `"it's"`, "it's"],
    ['nothing', "''", ''],
    ['a backslash last', "'a\\\\'", 'a\\'],
    ['a backslash before n', "'\\\\n'", '\\n'],
  ])('stands for itself: %s', (_, literal, text) => {
    const { tree, diagnostics } = parseQuery(`${W} = ${literal}`);
    expect(diagnostics).toEqual([]);
    expect(tree.where[0]).toMatchObject({ values: [{ kind: 'string', text, raw: literal }] });
  });

  it.each([
    ['an emoji after a backslash', `${W} = '\\😀'`, ['BAD_ESCAPE_SEQUENCE 1:54-1:59']],
    ['a doubled quote', `${W} = 'it''s'`, ['UNEXPECTED_INPUT 1:58-1:61']],
    ['a doubled quote in a list', `${W} IN ('it''s', 'b')`, ['EXPECTED_LIST 1:60-1:63']],
    ['a line end', `${W} = 'a\nb' LIMIT 0`, ['PROHIBITED_NEWLINE_IN_STRING 1:54-2:3', 'LIMIT_VALUE_TOO_LOW 2:10-2:11']],
    ['a line end of Windows', `${W} = 'a\r\nb'`, ['PROHIBITED_NEWLINE_IN_STRING 1:54-2:3']],
    ['no end', `${W} = 'a\nLIMIT 0`, ['STRING_NOT_TERMINATED 1:54-1:56', 'LIMIT_VALUE_TOO_LOW 2:7-2:8']],
    ['a quote of the other kind', `${W} = 'a"`, ['STRING_NOT_TERMINATED 1:54-1:57']],
  ])('is refused: %s', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });
});
