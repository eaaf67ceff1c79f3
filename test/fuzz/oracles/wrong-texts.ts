import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { formatQuery } from '../../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { describeRule } from '../../../src/language/rules/file/describe-rule.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { parseCondition } from '../../../src/language/rules/language/parse-expression.ts';
import { beginLoad } from '../../../src/storage/warehouse/sqlite/load-slice.ts';
import { loaderTarget } from '../targets/loader.ts';
import { queryTarget } from '../targets/query.ts';
import { ruleTarget } from '../targets/rule.ts';
import type { WrongProgram } from './found-out.ts';

const QUERY = { parse: parseQuery, format: formatQuery, print: printQuery, check: checkQueryFile };
const RULE = { check: checkRuleFile, describe: describeRule, parse: parseCondition };
const [RULE_TEXT = ''] = ruleTarget().seeds();
const ASKED = 'SELECT campaign.id -- a comment\nFROM campaign';
const query = (wrong: Partial<typeof QUERY>) => queryTarget({ ...QUERY, ...wrong });

const loader = (change: (json: string) => string) =>
  loaderTarget((...about) => {
    const load = beginLoad(...about);
    return {
      ...load,
      add: (piece) => load.add({ ...piece, json: Buffer.from(change(Buffer.from(piece.json).toString())) }),
    };
  });
const row = (id: number, clicks = '"9007199254740993"') =>
  `{"campaign":{"id":"${id}"},"metrics":{"clicks":${clicks},"ctr":0.1},"segments":{"date":"2026-11-01"}}`;

let times = 0;

/** Queries, rules and rows, each beside a program that reads them wrongly. */
export const WRONG_TEXTS: readonly WrongProgram[] = [
  [
    'formatting changes each time',
    query({ format: (parsed) => formatQuery(parsed) + ' '.repeat(times++) }),
    ASKED,
    'Formatting twice changes',
  ],
  [
    'a comment is lost',
    query({ format: (parsed) => formatQuery({ ...parsed, comments: [] }) }),
    ASKED,
    'Formatting lost a comment',
  ],
  ['what is formatted is no query', query({ format: () => 'SELECT' }), ASKED, 'The formatted query is read otherwise'],
  [
    'the print lacks a field',
    query({
      print: (tree) =>
        tree.select.length < 2 ? printQuery(tree) : printQuery({ ...tree, select: tree.select.slice(1) }),
    }),
    'SELECT campaign.id, campaign.name, campaign.status FROM campaign',
    'The print is read otherwise',
  ],
  [
    'no query, and no error',
    query({ check: () => ({ query: undefined, diagnostics: [] }) as never }),
    ASKED,
    'A query with errors, or none without',
  ],
  [
    'findings out of order',
    query({
      check: (...about) => ({
        ...checkQueryFile(...about),
        diagnostics: checkQueryFile(...about).diagnostics.toReversed(),
      }),
    }),
    'SELECT campaign.x, campaign.y FROM campaign',
    'Findings out of order',
  ],
  [
    'a rule whose condition is described as none',
    ruleTarget({ ...RULE, describe: (...about) => ({ ...describeRule(...about), when: 'cost >' }) }),
    RULE_TEXT,
    'The description of the condition is none',
  ],
  [
    'a rule without a description',
    ruleTarget({ ...RULE, describe: (...about) => ({ ...describeRule(...about), description: '' }) }),
    RULE_TEXT,
    'A rule that cannot be described',
  ],
  [
    'a number that went through a float',
    loader((json) => json.replace('"9007199254740993"', '9007199254740992')),
    `[${row(1)}]`,
    'The rows are not those of JSON.parse',
  ],
  ['a fraction is rounded', loader((json) => json.replace('0.1', '0.10001')), `[${row(1)}]`, 'A fraction is another'],
  [
    'a right row is refused',
    loader((json) => json.replace('"id"', '"ident"')),
    `[${row(1)}]`,
    'Right rows are refused',
  ],
  [
    'the second row of a piece is lost',
    loader((json) => (json.length > 300 ? json : json.replace(/^\[(\{.*?\}\}),.*$/, '[$1]'))),
    `[${row(1)},${row(2)}]`,
    'The rows are not those of JSON.parse',
  ],
];
