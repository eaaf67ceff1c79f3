import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { S, syntaxOf, toldOf, W } from './readings.ts';

describe('a clause of another SQL dialect gives one finding at its first word', () => {
  it.each([
    ['GROUP BY', `${S} GROUP BY campaign.id`, ['UNEXPECTED_INPUT 1:34-1:39']],
    ['GROUP BY after a condition', `${W} = 1 GROUP BY campaign.id`, ['UNEXPECTED_INPUT 1:56-1:61']],
    ['GROUP BY after a list', `${W} IN (1) GROUP BY campaign.id, a.b`, ['UNEXPECTED_INPUT 1:59-1:64']],
    ['HAVING', `${W} = 1 HAVING metrics.clicks > 1 AND a.b = 2`, ['UNEXPECTED_INPUT 1:56-1:62']],
    [
      'GROUP BY and HAVING, one each',
      `${W} = 1 GROUP BY campaign.id HAVING metrics.clicks > 1`,
      ['UNEXPECTED_INPUT 1:56-1:61', 'UNEXPECTED_INPUT 1:77-1:83'],
    ],
    ['JOIN', `${S} JOIN ad_group ON ad_group.id = campaign.id`, ['UNEXPECTED_INPUT 1:34-1:38']],
    ['LEFT OUTER JOIN', `${S} LEFT OUTER JOIN ad_group ON a.b = c.d`, ['UNEXPECTED_INPUT 1:34-1:38']],
    ['UNION', `${S} UNION ALL SELECT ad_group.id FROM ad_group LIMIT 0`, ['UNEXPECTED_INPUT 1:34-1:39']],
    ['OFFSET', `${S} LIMIT 5 OFFSET 10`, ['UNEXPECTED_INPUT 1:42-1:48']],
    ['OFFSET after a condition', `${W} = 1 OFFSET 10`, ['UNEXPECTED_INPUT 1:56-1:62']],
    ['FETCH', `${S} ORDER BY campaign.id DESC FETCH FIRST 5 ROWS ONLY`, ['UNEXPECTED_INPUT 1:60-1:65']],
    ['DISTINCT', 'SELECT DISTINCT campaign.id, campaign.name FROM campaign', ['UNEXPECTED_INPUT 1:8-1:16']],
    ['TOP', 'SELECT TOP 10 campaign.id FROM campaign', ['UNEXPECTED_INPUT 1:8-1:11']],
    ['CASE', 'SELECT CASE WHEN a.b = 5 THEN 1 END AS x, a.b FROM a', ['UNEXPECTED_INPUT 1:8-1:12']],
    ['SELECT *', 'SELECT * FROM campaign', ['BAD_SYMBOL 1:8-1:9']],
    ['a star of a resource', 'SELECT campaign.*, campaign.id FROM campaign', ['BAD_SYMBOL 1:8-1:18']],
    ['a star among fields', 'SELECT campaign.id, * FROM campaign', ['BAD_SYMBOL 1:21-1:22']],
    ['count(*)', 'SELECT count(*) FROM campaign', ['BAD_FIELD_NAME 1:8-1:16']],
    ['a function', 'SELECT sum(metrics.clicks) AS c, campaign.id FROM campaign', ['BAD_FIELD_NAME 1:8-1:27']],
    ['a function in WHERE', `${S} WHERE lower(campaign.name) = 'a'`, ['BAD_FIELD_NAME 1:40-1:60']],
    ['a query in a list', `${W} IN (${S} WHERE a.b IN (1, 2)) AND a.b = 1`, ['UNEXPECTED_INPUT 1:56-1:62']],
    ['a query as a value', `${W} = (${S})`, ['UNEXPECTED_INPUT 1:55-1:61']],
    ['a query in FROM', `SELECT a.b FROM (${S}) LIMIT 5`, ['UNEXPECTED_INPUT 1:18-1:24']],
    ['a query in SELECT', `SELECT (${S}) AS a, b.c FROM b`, ['UNEXPECTED_INPUT 1:9-1:15']],
    ['a query without an end', `${W} IN (${S}`, ['UNEXPECTED_INPUT 1:56-1:62']],
    ['two semicolons', `${S};;`, ['UNEXPECTED_INPUT 1:34-1:35']],
    ['DURING without a date', `${S} WHERE DURING LAST_7_DAYS`, ['BAD_FIELD_NAME 1:40-1:46']],
    ['DURING without WHERE', `${S} DURING LAST_7_DAYS`, ['UNEXPECTED_INPUT 1:34-1:40']],
    ['DURING without a period', `${S} WHERE segments.date DURING`, ['UNEXPECTED_END_OF_QUERY 1:60-1:60']],
    ['no FROM', 'SELECT metrics.clicks, campaign.id WHERE a.b = 5', ['EXPECTED_FROM 1:36-1:41']],
    ['a part of a message', 'SELECT a.b:c.d AS x, a.e FROM a', ['BAD_SYMBOL 1:11-1:15']],
    ['a part of a resource name', 'SELECT a.resource_name~0 AS x FROM a', ['BAD_SYMBOL 1:23-1:24']],
    ['a text as a column', "SELECT a.b, 'x' AS y FROM a", ['BAD_FIELD_NAME 1:13-1:16']],
    ['a number as a column', 'SELECT a.b, 1 AS n FROM a', ['BAD_FIELD_NAME 1:13-1:14']],
    ['a quotient as a column', 'SELECT a.b / a.c AS ctr, a.d FROM a', ['BAD_SYMBOL 1:12-1:13']],
    ['a quotient', 'SELECT metrics.clicks / metrics.impressions FROM campaign', ['BAD_SYMBOL 1:23-1:24']],
    ['a product', 'SELECT metrics.clicks * 2, campaign.id FROM campaign', ['BAD_SYMBOL 1:23-1:24']],
    ['a difference without spaces', 'SELECT metrics.clicks-1 FROM campaign', ['EXPECTED_FROM 1:22-1:24']],
    ['arithmetic in a condition', `${S} WHERE metrics.clicks * 2 > 5`, ['BAD_SYMBOL 1:55-1:56']],
    ['backquotes', 'SELECT `campaign`.`id` FROM `campaign`', ['BAD_SYMBOL 1:8-1:23', 'BAD_SYMBOL 1:29-1:39']],
    ['one backquote', 'SELECT `campaign.id FROM campaign', ['BAD_SYMBOL 1:8-1:9']],
    ['a template for fields', 'SELECT {fields} FROM campaign', ['BAD_SYMBOL 1:8-1:16']],
    ['a template for a resource', `SELECT campaign.id FROM $${'{resource}'}`, ['BAD_SYMBOL 1:25-1:36']],
    ['a template for a value', `${W} = {{ id }} AND campaign.id = 5`, ['BAD_SYMBOL 1:54-1:62']],
    ['a template for a list', `${W} IN ({ids})`, ['BAD_SYMBOL 1:56-1:61']],
    ['a template for a clause', `${S} {where}`, ['BAD_SYMBOL 1:34-1:41']],
    ['a placeholder of Python', `${W} = %(id)s`, ['BAD_SYMBOL 1:54-1:60']],
    ['a placeholder of JDBC', `${W} = ?`, ['BAD_SYMBOL 1:54-1:55']],
    ['==', `${W} == 5`, ['BAD_OPERATOR 1:52-1:54']],
    ['<>', `${W} <> 5`, ['BAD_OPERATOR 1:52-1:54']],
    ['NOT before BETWEEN', `${W} NOT BETWEEN 1 AND 5`, ['BAD_OPERATOR 1:52-1:63']],
    ['NOT before CONTAINS', `${W} NOT CONTAINS ANY ('a')`, ['BAD_OPERATOR 1:52-1:68']],
    ['NOT before =', `${W} NOT = 5`, ['BAD_OPERATOR 1:52-1:57']],
    ['CONTAINS alone', `${W} CONTAINS 'a'`, ['BAD_OPERATOR 1:52-1:60']],
    ['STARTS WITH', `${W} STARTS WITH 'a'`, ['BAD_OPERATOR 1:52-1:58']],
    ['= NULL', `${W} = NULL`, ['BAD_VALUE 1:54-1:58']],
    ['a double-quoted alias', 'SELECT campaign.id AS "Campaign" FROM campaign', ['BAD_ALIAS 1:23-1:33']],
    ['an alias without AS', 'SELECT campaign.id c FROM campaign', ['UNEXPECTED_INPUT 1:20-1:21']],
    ['a field in quotes', 'SELECT "campaign.id" FROM campaign', ['BAD_FIELD_NAME 1:8-1:21']],
    ['a condition in parentheses', `${S} WHERE (campaign.id = 5)`, ['BAD_FIELD_NAME 1:40-1:41']],
    ['WITH', `WITH x AS (${S}) SELECT x`, ['EXPECTED_SELECT 1:1-1:5']],
    ['another statement', 'UPDATE campaign SET x = 1', ['EXPECTED_SELECT 1:1-1:7']],
  ])('%s', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });

  it('names an extra comma before FROM', () => {
    expect(toldOf('SELECT campaign.id,\nFROM campaign')).toBe(
      'Found "FROM", expected a field such as campaign.name. Remove the comma before FROM.',
    );
  });

  it('gives the next step', () => {
    const sources = [
      `${S} GROUP BY campaign.id`,
      `${S} HAVING a.b > 1`,
      `${S} LEFT JOIN a ON b`,
      `${S} LIMIT 5 OFFSET 5`,
      `${S} UNION ${S}`,
      'SELECT DISTINCT a FROM b',
      'SELECT TOP 5 a FROM b',
      'SELECT * FROM a',
      'SELECT count(*) FROM a',
      'SELECT a / b FROM c',
      'SELECT a.b:c FROM c',
      'SELECT a.resource_name~0 FROM c',
      "SELECT 'x' AS y FROM c",
      'SELECT 1 AS n FROM c',
      `${W} IN (${S})`,
      `${S};;`,
      `${S} DURING TODAY`,
      `${S} WHERE segments.date DURING`,
      'SELECT metrics.clicks, campaign.id LIMIT 5',
      'SELECT metrics.clicks',
      'SELECT a * b FROM c',
      'SELECT `a` FROM b',
      'SELECT {a} FROM b',
      `${W} = ?`,
      `${W} <> 5`,
      `${W} NOT BETWEEN 1 AND 5`,
      `${W} NOT CONTAINS ANY (1)`,
      `${W} CONTAINS 'a'`,
      `${W} = NULL`,
      'SELECT a AS "A" FROM b',
      'SELECT "a" FROM b',
      `${S} WHERE (a = 1)`,
      `${S} WHERE NOT a = 1`,
      `${W} = 'it''s'`,
      `${W} = :today - 7`,
      `${S} AS c`,
      `${S}; ${S}`,
    ];
    expect(sources.map(toldOf).join('\n')).toMatchInlineSnapshot(`
      "Found "GROUP", expected the next clause or the end of the query. There is no GROUP BY: the service sums metrics by the selected attributes and segments.
      Found "HAVING", expected the next clause or the end of the query. There is no HAVING: write conditions on metrics in WHERE.
      Found "LEFT", expected the next clause or the end of the query. JOIN is not supported: select fields of related resources directly. Run pacekeeper fields RESOURCE to list them.
      Found "OFFSET", expected the next clause or the end of the query. There is no OFFSET: all rows are read.
      Found "UNION", expected the next clause or the end of the query. There is no UNION, EXCEPT or INTERSECT: write two query files, and combine their tables in SQL.
      Found "DISTINCT", expected a field such as campaign.name. There is no DISTINCT: remove it, and use SELECT DISTINCT in SQL on the table.
      Found "TOP", expected a field such as campaign.name. There is no TOP: use LIMIT at the end.
      Found "*", which has no meaning in a query. Name the fields. Run pacekeeper fields RESOURCE to list them.
      Found "count(…)", expected a field: the query language has no functions. The service sums metrics. Calculate the rest in SQL on the table.
      Found "/", which has no meaning in a query. There is no arithmetic: select both fields and calculate in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found ":c", which asks for a part of a field. A query takes whole fields: take the part in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found "~", which has no meaning in a query. A query takes whole fields: take the part in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found "'x'", expected a field such as campaign.name. Add constants in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found "1", expected a field such as campaign.name. Add constants in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found a query within the query. Queries cannot be nested: write two query files, and join their tables in SQL.
      Found ";", expected the next clause or the end of the query. Remove it: a query needs at most one semicolon.
      Found "DURING", expected the next clause or the end of the query. Write a date before DURING, in WHERE: segments.date DURING LAST_7_DAYS.
      The query ends after "DURING", expected a value: 'text', a number or a constant such as ENABLED. Write a period, such as LAST_7_DAYS.
      Found "LIMIT", expected FROM and a resource such as keyword_view. Add FROM and a resource, for example FROM campaign.
      The query ends after "metrics.clicks", expected FROM and a resource such as keyword_view. Add FROM and a resource, for example FROM campaign.
      Found "*", which has no meaning in a query. There is no arithmetic: select both fields and calculate in SQL on the table. For gaarf queries, run pacekeeper import DIR.
      Found "\`a\`", expected a name without quotes. Write a.
      Found the template "{a}", expected a parameter. Write a parameter as :a, without quotes. For gaarf queries, run pacekeeper import DIR.
      Found the template "?", expected a parameter. Write a parameter as :name, without quotes.
      Unknown operator "<>". Did you mean !=?
      Unknown operator "NOT BETWEEN". Operators are =, !=, <, <=, >, >=, IN, NOT IN, CONTAINS ANY, CONTAINS ALL, CONTAINS NONE, LIKE, NOT LIKE, REGEXP_MATCH, NOT REGEXP_MATCH, BETWEEN, DURING, IS NULL, IS NOT NULL.
      Unknown operator "NOT CONTAINS ANY". Did you mean CONTAINS NONE?
      Unknown operator "CONTAINS". Did you mean LIKE '%text%' for part of a text, or CONTAINS ANY, ALL or NONE for lists?
      Found "NULL", expected a value: 'text', a number or a constant such as ENABLED. Test for missing values with IS NULL or IS NOT NULL.
      Found "\\"A\\"", expected a column name after AS. Use lower-case letters, digits and underscores, without quotes. Keywords are not allowed.
      Found "\\"a\\"", expected a field such as campaign.name. Write names without quotes.
      Found "(", expected a field such as campaign.name. Use parentheses only for the lists of IN and CONTAINS.
      Found "NOT", expected a field such as campaign.name. Use NOT only within NOT IN, NOT LIKE, NOT REGEXP_MATCH and IS NOT NULL.
      Found "'s'", expected the next clause or the end of the query. Write a backslash before a quote within a text: 'it\\'s'.
      Found "-", which has no meaning in a query. Add days without a space: :today-7.
      Found "AS", expected the next clause or the end of the query. Use AS only in SELECT, to name a column.
      Found "SELECT", expected the end: a file holds one query. Write two query files."
    `);
  });
});

describe('clauses after a foreign one are checked', () => {
  it.each([
    ['behind GROUP BY', `${S} GROUP BY campaign.id LIMIT 0`],
    ['behind HAVING', `${S} HAVING metrics.clicks > 1 LIMIT 0`],
    ['behind JOIN', `${S} JOIN ad_group ON ad_group.id = 5 LIMIT 0`],
    ['after a template', `${W} = {id} LIMIT 0`],
    ['after a wrong operator', `${W} <> 5 LIMIT 0`],
  ])('%s', (_, source) => {
    expect(syntaxOf(source).slice(1)).toEqual([`LIMIT_VALUE_TOO_LOW 1:${source.length}-1:${source.length + 1}`]);
  });

  it('ignores the foreign clause', () => {
    const { tree } = parseQuery(
      'SELECT DISTINCT TOP 5 a.b, `c.d` FROM e JOIN f ON g WHERE h = 1 GROUP BY i.j ORDER BY k.l OFFSET 5',
    );
    expect(printQuery(tree)).toBe('SELECT a.b, c.d FROM e WHERE h = 1 ORDER BY k.l');
  });
});

describe('a keyword of another language can be a name', () => {
  it.each([
    ['as a field', 'SELECT distinct, top, case FROM campaign'],
    ['as the only field', 'SELECT distinct FROM campaign'],
    ['as a column', 'SELECT campaign.id AS offset, campaign.name AS left FROM campaign'],
    ['as a resource', 'SELECT campaign.id FROM union'],
    ['as a value', `${W} = LEFT AND campaign.id = GROUP`],
    ['in a list', `${W} IN (LEFT, RIGHT, TOP, UNION)`],
    ['as the field of a condition or an order', `${S} WHERE group = 1 AND offset = 2 ORDER BY having, join`],
  ])('%s', (_, source) => {
    expect(syntaxOf(source)).toEqual([]);
  });
});
