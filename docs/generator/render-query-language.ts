import { FIRST_QUERIES } from '../../src/commands/init/gather-answers.ts';
import { readyQueries } from '../../src/commands/init/ready-queries.ts';
import type { DateRange } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { DATA_TYPES, type DataType } from '../../src/language/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../src/language/gaql/check/check-condition.ts';
import { CALENDAR_NAMES, dayOf, PERIOD_NAMES, resolveWindow } from '../../src/language/gaql/check/date-window.ts';
import { formatQuery } from '../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../src/language/gaql/syntax/parse-query.ts';
import { code } from './markdown.ts';

/** The page docs/query-language.md, whose tables and examples come from the code. */
export function renderQueryLanguage(): string {
  return [
    INTRODUCTION,
    READY_MADE,
    FILE,
    FILE_SYNTAX,
    `| name | on ${WEEKDAY} ${TODAY} | |\n|---|---|---|\n${CALENDAR_NAMES.map(calendarRow).join('\n')}`,
    'All names take an offset: `:today-7` is seven days before `:today`.',
    '## Periods of DURING',
    `| period | on ${WEEKDAY} ${TODAY} |\n|---|---|\n${PERIOD_NAMES.map(periodRow).join('\n')}`,
    'For other lengths, use BETWEEN: `segments.date BETWEEN :today-8 AND :yesterday`.',
    '## Operators by type',
    `| type | operators |\n|---|---|\n${operatorRows().join('\n')}`,
    OPERATOR_NOTES,
    TABLES,
  ]
    .join('\n\n')
    .concat('\n');
}

const TODAY = civilDate('2026-11-18');
const WEEKDAY = 'Wednesday';

function calendarRow(name: (typeof CALENDAR_NAMES)[number]): string {
  return `| \`:${name}\` | ${dayOf({ kind: 'calendar', name, days: 0 }, TODAY)} | ${name === 'week_start' ? 'weeks begin on Monday' : ''} |`;
}

function periodRow(period: (typeof PERIOD_NAMES)[number]): string {
  const { from, to } = resolveWindow({ kind: 'period', period }, TODAY) as DateRange;
  return `| \`${period}\` | ${from === to ? from : `${from} to ${to}`} |`;
}

const operators = (field: { readonly type: DataType; readonly repeated: boolean }): string =>
  operatorsOf(field)
    .filter((operator) => !operator.startsWith('IS '))
    .map((operator) => `\`${operator}\``)
    .join(' ') || 'none: select only';

function operatorRows(): string[] {
  const byOperators = Map.groupBy(DATA_TYPES, (type) => operators({ type, repeated: false }));
  const rows = [...byOperators].map(([taken, types]) => `| ${types.join(', ')} | ${taken} |`);
  return [...rows, `| a list of any type | ${operators({ type: 'STRING', repeated: true })} |`];
}

const EXAMPLE = `/* Spend per campaign and day of this month, for the campaigns we were asked about. */
select campaign.id, campaign.name as campaign, -- the column's name
metrics.clicks, metrics.cost_micros, segments.date from campaign
where segments.date between :month_start and :yesterday and campaign.id in (:campaigns)
order by metrics.cost_micros desc`;

const INTRODUCTION = `# The query language

A query file reads data into a table.

## A query in five minutes

1. Choose the fields. \`npx pacekeeper fields\` lists the resources. \`npx pacekeeper fields campaign\`
   lists the fields of one resource. To search, run
   \`npx pacekeeper fields --search "lost budget"\`.
2. Save this as \`queries/clicks.sql\`. The file name becomes the table name:

\`\`\`sql
-- Clicks and cost per campaign and day.
SELECT
  campaign.id,
  campaign.name,
  metrics.clicks,
  metrics.cost_micros,
  segments.date
FROM campaign
WHERE segments.date DURING LAST_30_DAYS
\`\`\`

3. \`npx pacekeeper check\` lists [mistakes](troubleshoot.md#a-query-file-is-refused). \`--fix\` repairs
   and formats the file, and \`--schema\` shows the table.
4. \`npx pacekeeper extract --query clicks\` fills the table. For earlier days, add
   \`--from 2026-01-01 --to 2026-03-31\`.
5. Run \`sqlite3 data/warehouse.sqlite "SELECT * FROM clicks LIMIT 5"\`, or use [a BI tool](bi.md).
   The tables \`clicks_by_day\`, \`clicks_by_week\` and \`clicks_by_month\` hold sums.

\`check\` says when a changed query needs \`pacekeeper warehouse rebuild clicks\`.
\`warehouse rebuild\` also drops the table of a deleted query.`;

const READY_MADE = `## Ready-made queries

\`pacekeeper init\` writes ${FIRST_QUERIES.map(code).join(', ')}.
\`pacekeeper init --list-queries\` lists ${readyQueries().length - FIRST_QUERIES.length} more. To add some, run
\`pacekeeper init --query search_terms wasted_keywords\`; for all, \`--query all\`. All queries work on
the sandbox.`;

const FILE = `## A query file

A file holds one query in the language of the advertising interface.

\`\`\`sql
${formatQuery(parseQuery(EXAMPLE)).trimEnd()}
\`\`\`

\`\`\`
SELECT field [AS column], …
FROM resource
[WHERE condition AND …]
[ORDER BY field [ASC | DESC], …]
[LIMIT rows]
[PARAMETERS include_drafts = true, omit_unselected_resource_names = true]
\`\`\`

- Keywords work in any case.
- There is no OR, no function and no arithmetic. Only lists have parentheses.
- The service sums metrics by the selected attributes and segments. For other sums, query the table
  in SQLite.
- Text stands in single or double quotes on one line.
  Escapes: \`\\\\\` \`\\'\` \`\\"\` \`\\n\` \`\\r\` \`\\t\`.`;

const FILE_SYNTAX = `## Additions to the service's language

pacekeeper removes these additions, or inserts values, before it sends the query.

- Comments: \`--\`, \`#\`, \`//\` to the end of the line, and \`/* … */\`.
  The comment above the query describes the table.
- A semicolon at the end.
- \`field AS column\` names a column. The day's column is always \`date\`.
- Parameters: \`:name\`, or \`campaign.id IN (:campaigns)\` for a list. Set them with
  \`--param name=value\` (once per value) or under \`params:\` in \`pacekeeper.yaml\`.
  pacekeeper checks and quotes each value by the type of its field.
- Days of the account's calendar. They need no value:`;

const OPERATOR_NOTES = `All types except MESSAGE also take \`IS NULL\` and \`IS NOT NULL\`. Other combinations
give a warning. DURING without a date, or CONTAINS without a list, is an error.
\`LIKE\` ignores case. \`%\` matches any text, and \`_\` any character. \`[%]\` and \`[_]\` match
the signs themselves. A list holds at most 20,000 values.`;

const TABLES = `## The table of a query

\`pacekeeper check --schema\` prints the columns of a table.

- The first column is \`customer_id\`. Each field gets a column.
- A column's name is the alias, or the field with underscores, without \`metrics.\` or \`segments.\`.
- The published file adds \`cost\` beside \`cost_micros\`. Lists and messages are JSON text.
- \`customer_id\`, the day, the resource's ids and all other segments identify a row.

## Limits of the offline check

The offline check uses a catalogue of all fields. The shipped catalogue is for the public version
v25. It does not say which fields can filter or sort, or which segments fit which metrics.

\`pacekeeper catalogue refresh\` reads the service's fields for \`ads.version\` into
\`data/catalogue-vN.json.gz\`. \`check\` and \`fields\` then use this file, which has all these facts.
From the sandbox, a refresh reads only the sandbox's fields. A refresh that fails keeps the last file.

\`pacekeeper check --online\` also asks the service to validate each query, and warns if the service
cannot. With \`check.unknown_fields: warn\`, a query may use a field that the catalogue lacks, unless
its name resembles a known one. The column then holds text until a refreshed catalogue has the
field's type.`;
