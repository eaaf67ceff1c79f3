import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { patternFault } from '../../../src/language/gaql/check/pattern-fault.ts';
import { CODES } from '../../../src/language/gaql/codes.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { formatQuery } from '../../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { queryGrammar } from '../../../src/language/gaql/syntax/query-grammar.ts';
import { claimFindings } from '../claim-findings.ts';
import { examplesIn, textsIn } from '../inputs/sources.ts';
import { type Spell, writeByGrammar } from '../inputs/write-by-grammar.ts';
import { claim, claimSame, type Target } from '../target.ts';

const FIELDS = [
  ...'campaign.id campaign.name campaign.status campaign.serving_status campaign_budget.amount_micros'.split(' '),
  ...'segments.date segments.week segments.hour metrics.clicks metrics.cost_micros metrics.ctr'.split(' '),
  ...'ad_group.id ad_group_criterion.keyword.text customer.id metrics.conversions campaign.labels'.split(' '),
];
const RESOURCES = 'campaign keyword_view customer campaign_budget ad_group change_event change_status'.split(' ');
const WORDS = 'ENABLED PAUSED TODAY YESTERDAY LAST_7_DAYS THIS_MONTH include_drafts true a_name'.split(' ');

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  Name: [...FIELDS, ...FIELDS, ...RESOURCES, ...WORDS],
  String: [`'brand'`, `"x"`, `''`, `'2026-11-01'`, `'it\\'s'`, `'%a[_]%'`, `'[]*'`, `'😀'`, `'(?i)a+'`, `'ENABLED'`],
  NewlineInString: [`'a\nb'`],
  UnterminatedString: [`'a`],
  UnquotedDate: ['2026-11-01'],
  Number: ['1', '0', '-5', '2.5', '9223372036854775808', '100'],
  BadNumber: ['1e6', '5k', '1.2.3'],
  Placeholder: [':campaigns', ':today', ':today-7', ':yesterday+1', ':from'],
  ComparisonOperator: ['=', '!=', '<', '<=', '>', '>='],
  ForeignOperator: ['==', '<>', '=<'],
  Comma: [','],
  LeftParen: ['('],
  RightParen: [')'],
  Semicolon: [';'],
};

export const spellQuery: Spell = ({ name }, random) => {
  const spelling = random.pick(SPELLINGS[name] ?? [name, name.toLowerCase()]);
  return random.oneIn(60) ? spelling.toUpperCase() : spelling;
};

const REAL = { parse: parseQuery, format: formatQuery, print: printQuery, check: checkQueryFile };

/** The examples of all codes, without the long list of one of them. */
function explained(): readonly string[] {
  return [...CODES.values()].flatMap(({ wrong, right }) => [wrong, right]).filter(({ length }) => length <= 300);
}

/** The query language: a text ends in a query or in findings, and what is printed means what was read. */
export function queryTarget(program: typeof REAL = REAL): Target {
  const { parse, format, print, check } = program;
  const catalogue = loadCatalogue('v25');
  const parameters = new Map([
    ['campaigns', ['1234567890', '5']],
    ['from', ['2026-11-01']],
  ]);
  const rules = queryGrammar.getGAstProductions();
  return {
    name: 'query',
    tokens: [
      ...Object.values(SPELLINGS).flat(),
      ...'SELECT, FROM, WHERE, AND, ORDER BY, IN (, LIMIT, --, /*'.split(', '),
    ],
    seeds: () => [...textsIn('queries', '.sql'), ...examplesIn('query-language.md', ['sql']), ...explained()],
    generate: (random) => writeByGrammar(rules, 'query', spellQuery, random),
    judge(input) {
      const source = input.toString('utf8');
      const parsed = parse(source);
      claimFindings(source, parsed.diagnostics);
      const context = { catalogue, parameters, patternFault, today: '2026-11-22' as never };
      const { query, diagnostics } = check('a_query', source, context);
      claimFindings(source, diagnostics);
      const failed = diagnostics.some(({ severity }) => severity === 'error');
      claim((query === undefined) === failed, () => 'A query with errors, or none without errors');
      if (parsed.diagnostics.some(({ severity }) => severity === 'error')) return;
      const formatted = format(parsed);
      const again = parse(formatted);
      claimSame(
        again.diagnostics.map(({ code }) => code),
        parsed.diagnostics.map(({ code }) => code),
        'The formatted query is read otherwise',
      );
      claimSame(print(again.tree), print(parsed.tree), 'Formatting changed the query');
      claimSame(format(again), formatted, 'Formatting twice changes something');
      claimSame(wordsOf(again.comments), wordsOf(parsed.comments), 'Formatting lost a comment');
      claimSame(print(parse(print(parsed.tree)).tree), print(parsed.tree), 'The print is read otherwise');
      if (query)
        claimSame(check('a_query', query.text, context).query?.text, query.text, 'What is sent is read otherwise');
    },
  };
}

/** Without blanks and marks: a comment is laid out anew. */
function wordsOf(comments: readonly { readonly text: string }[]): string {
  return comments.map(({ text }) => text.replace(/[^\p{L}\p{N}]/gu, '')).join(' ');
}
