import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { S, syntaxOf, toldOf, W } from './readings.ts';

describe('a misspelt keyword gives one finding, and the rest is checked', () => {
  it.each([
    ['SELECT', 'SELCT campaign.id FROM campaign LIMIT 0', 'EXPECTED_SELECT 1:1-1:6'],
    ['FROM', 'SELECT campaign.id FORM campaign LIMIT 0', 'EXPECTED_FROM 1:20-1:24'],
    ['FROM after a column', 'SELECT campaign.id AS c FRM campaign LIMIT 0', 'EXPECTED_FROM 1:25-1:28'],
    ['FROM after a comma', 'SELECT campaign.id, FORM campaign LIMIT 0', 'EXPECTED_FROM 1:21-1:25'],
    ['WHERE', `${S} WHRE campaign.id = 5 LIMIT 0`, 'UNEXPECTED_INPUT 1:34-1:38'],
    ['AND', `${W} = 5 ADN campaign.id = 6 LIMIT 0`, 'EXPECTED_AND 1:56-1:59'],
    ['AND after a constant', `${W} = ENABLED ANDD campaign.id = 6 LIMIT 0`, 'EXPECTED_AND 1:62-1:66'],
    ['AND after a list', `${W} IN (5) ADN campaign.id = 6 LIMIT 0`, 'EXPECTED_AND 1:59-1:62'],
    ['AND of BETWEEN', `${W} BETWEEN 1 ADN 5 LIMIT 0`, 'EXPECTED_AND 1:62-1:65'],
    ['ORDER', `${S} ODER BY campaign.id LIMIT 0`, 'UNEXPECTED_INPUT 1:34-1:38'],
    ['ORDER after a condition', `${W} = 5 ODRER BY campaign.id LIMIT 0`, 'UNEXPECTED_INPUT 1:56-1:61'],
    ['BY', `${S} ORDER BU campaign.id LIMIT 0`, 'EXPECTED_BY 1:40-1:42'],
    ['ORDER BY in one word', `${S} ORDERBY campaign.id LIMIT 0`, 'UNEXPECTED_INPUT 1:34-1:41'],
    ['DESC', `${S} ORDER BY campaign.id DECS LIMIT 0`, 'UNEXPECTED_INPUT 1:55-1:59'],
    ['LIMIT', `${S} LIMT 0`, 'UNEXPECTED_INPUT 1:34-1:38'],
    ['LIMIT after a condition', `${W} = 5 LIMT 0`, 'UNEXPECTED_INPUT 1:56-1:60'],
    ['LIMIT after an order', `${S} ORDER BY campaign.id LIMT 0`, 'UNEXPECTED_INPUT 1:55-1:59'],
    ['LIMIT after a direction', `${S} ORDER BY campaign.id DESC LIMT 0`, 'UNEXPECTED_INPUT 1:60-1:64'],
    ['BETWEEN', `${W} BETWEN 1 AND 5 LIMIT 0`, 'BAD_OPERATOR 1:52-1:58'],
    ['CONTAINS', `${W} CONTAIN ANY (5) LIMIT 0`, 'BAD_OPERATOR 1:52-1:59'],
    ['ANY', `${W} CONTAINS ANYY (5) LIMIT 0`, 'BAD_OPERATOR 1:61-1:65'],
    ['NULL', `${W} IS NOT NUL LIMIT 0`, 'BAD_OPERATOR 1:59-1:62'],
    ['LIKE', `${W} LIKEE 'a' LIMIT 0`, 'BAD_OPERATOR 1:52-1:57'],
    ['IN', `${W} NOT IM (1, 2) LIMIT 0`, 'BAD_OPERATOR 1:52-1:58'],
    ['DURING', `${W} DURNG LAST_7_DAYS LIMIT 0`, 'BAD_OPERATOR 1:52-1:57'],
  ])('%s', (_, source, misspelt) => {
    const at = source.length;
    expect(syntaxOf(source)).toEqual([misspelt, `LIMIT_VALUE_TOO_LOW 1:${at}-1:${at + 1}`]);
  });

  it('repairs PARAMETERS after LIMIT', () => {
    expect(syntaxOf(`${S} LIMIT 5 PARAMETER a = true`)).toEqual(['UNEXPECTED_INPUT 1:42-1:51']);
  });

  it('reports each of several in one query once', () => {
    const source = `SELCT campaign.id FORM campaign WHRE campaign.id = 5 ADN campaign.name = 'x' ORDER BU campaign.id LIMT 0`;
    expect(syntaxOf(source)).toEqual([
      ...'EXPECTED_SELECT 1:1-1:6, EXPECTED_FROM 1:19-1:23, UNEXPECTED_INPUT 1:33-1:37'.split(', '),
      ...'EXPECTED_AND 1:54-1:57, EXPECTED_BY 1:84-1:86, UNEXPECTED_INPUT 1:99-1:103'.split(', '),
      'LIMIT_VALUE_TOO_LOW 1:104-1:105',
    ]);
  });

  it('is read as the keyword', () => {
    const { tree } = parseQuery(
      'SELCT campaign.id FORM campaign WHRE campaign.id BETWEN 1 ADN 5 ORDERBY campaign.id DSC',
    );
    expect(printQuery(tree)).toBe(`${W} BETWEEN 1 AND 5 ORDER BY campaign.id DESC`);
  });

  it('suggests the keyword', () => {
    expect(toldOf(`SELCT campaign.id FORM campaign ORDERBY campaign.id`)).toMatchInlineSnapshot(`
      "Found "SELCT", expected SELECT. Did you mean SELECT?
      Found "FORM", expected FROM. Did you mean FROM?
      Found "ORDERBY", expected ORDER BY. Did you mean ORDER BY?"
    `);
  });
});

describe('a name is not a misspelt keyword', () => {
  it.each([
    ['as a field', 'SELECT form, selct FROM campaign'],
    ['as a field before a comma', 'SELECT campaign.id, form FROM campaign'],
    ['as a column', 'SELECT campaign.id AS form FROM campaign'],
    ['as a resource', 'SELECT campaign.id FROM form'],
    ['as a value', `${W} = ADN AND campaign.id = LIMT LIMIT 5`],
    ['in a list', `${W} IN (ADN, ODER, LIMT)`],
    ['as the field of a condition', `${S} WHERE adn = 5 AND limt = 6`],
    ['as the field of an order', `${S} ORDER BY limt, dsc DESC`],
    ['as a request parameter', `${S} PARAMETERS limt = decs`],
  ])('%s', (_, source) => {
    expect(syntaxOf(source)).toEqual([]);
  });
});
