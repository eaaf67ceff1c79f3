import type { DateRange } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { DATA_TYPES, type DataType, RENAMED_FIELDS, renamedField } from '../../src/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../src/gaql/check/check-condition.ts';
import { CALENDAR_NAMES, dayOf, PERIOD_NAMES, resolveWindow } from '../../src/gaql/check/date-window.ts';
import { CODES_BY_SUBJECT, type Explanation } from '../../src/gaql/codes.ts';
import { formatQuery } from '../../src/gaql/syntax/format-query.ts';
import { parseQuery } from '../../src/gaql/syntax/parse-query.ts';

/** The page docs/query-language.md, whose tables and examples come from the code. */
export function renderQueryLanguage(): string {
  return [
    INTRODUCTION,
    FILE_SYNTAX,
    `| name | on ${WEEKDAY} ${TODAY} | |\n|---|---|---|\n${CALENDAR_NAMES.map(calendarRow).join('\n')}`,
    '`:today-7` is seven days before `:today`; any of them can be moved so.',
    '## Periods of DURING',
    `| period | on ${WEEKDAY} ${TODAY} |\n|---|---|\n${PERIOD_NAMES.map(periodRow).join('\n')}`,
    'Every other length is written with BETWEEN: `segments.date BETWEEN :today-8 AND :yesterday`.',
    '## Operators by type',
    `| type | operators |\n|---|---|\n${DATA_TYPES.map(operatorRow).join('\n')}\n| a list of any type | ${operators({ type: 'STRING', repeated: true })} |`,
    OPERATOR_NOTES,
    TABLES,
    '## Renamed fields',
    `| was | is | since |\n|---|---|---|\n${RENAMED_FIELDS.map(renamedRow).join('\n')}`,
    '## Codes',
    'Where the service has a name for an error, it is the code. `pacekeeper check --explain CODE` prints the same.',
    ...CODES_BY_SUBJECT.flatMap(({ subject, codes }) => [`### ${subject}`, ...codes.map(codeSection)]),
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
    .map((operator) => `\`${operator}\``)
    .join(' ') || 'none: it can be selected only';

const operatorRow = (type: DataType): string => `| ${type} | ${operators({ type, repeated: false })} |`;

const renamedRow = (name: string): string =>
  `| \`${name}\` | \`${renamedField(name)?.name}\` | ${renamedField(name)?.since} |`;

function codeSection([code, { meaning, wrong, right, of = 'query' }]: readonly [string, Explanation]): string {
  const example = (text: string) => (text.length > 200 ? `${text.slice(0, 120)}…` : text).replaceAll('\u0000', '\\0');
  const language = of === 'query' ? 'sql' : 'text';
  return `#### ${code}\n\n${meaning}\n\n\`\`\`${language}\n-- wrong\n${example(wrong)}\n-- right\n${example(right)}\n\`\`\``;
}

const EXAMPLE = `/* Spend per campaign and day of this month, for the campaigns we were asked about. */
select campaign.id, campaign.name as campaign, -- the column's name
metrics.clicks, metrics.cost_micros, segments.date from campaign
where segments.date between :month_start and :yesterday and campaign.id in (:campaigns)
order by metrics.cost_micros desc`;

const INTRODUCTION = `# The query language

## A query in five minutes

1. Find out what there is: \`npx pacekeeper fields\` lists what can be asked, \`npx pacekeeper fields campaign\` the fields of campaigns,
   \`npx pacekeeper fields --search "lost budget"\` finds fields by words.
2. Put this into \`queries/clicks.sql\`. The file's name is the table's name, its first comment the table's description:

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

3. \`npx pacekeeper check\` says what is wrong with it, all mistakes at once, and what to do; \`--fix\` writes it in the usual layout, \`--schema\`
   prints the table that it fills.
4. \`npx pacekeeper extract --query clicks\` reads it now; every report reads it from now on. Days from before the window:
   \`npx pacekeeper extract --query clicks --from 2026-01-01 --to 2026-03-31\`.
5. Look at it: \`sqlite3 data/warehouse.sqlite "SELECT * FROM clicks LIMIT 5"\`, or in a BI tool ([bi.md](bi.md)). Because it selects
   \`segments.date\`, \`campaign.id\` and metrics, there are \`clicks_by_day\`, \`clicks_by_week\` and \`clicks_by_month\`, too.

When you change the query later, the table grows with it; \`check\` says where it cannot, and \`pacekeeper warehouse rebuild clicks\` makes it anew.
The table stays when its query file is gone: \`status\` names it, and the same command drops it.

## A query file

This page is written from the code by \`npm run docs\`; a test compares the two.

A query file holds one query in the advertising interface's own language, and is checked before anything is sent:

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

Keywords may be written in any case. There is no OR, no parentheses but those of lists, no function and no arithmetic: the service sums
metrics by the attributes and segments that are selected, and the rest is SQL over the table. Text stands in single or double quotes on one
line, with the escapes \`\\\\\` \`\\'\` \`\\"\` \`\\n\` \`\\r\` \`\\t\`; whatever is within quotes is sent as it is written.

\`pacekeeper fields RESOURCE\` lists what can be selected, \`pacekeeper check\` checks, \`pacekeeper check --fix\` writes files in the layout above
and keeps their comments.`;

const FILE_SYNTAX = `## What files have beyond the service's language

These never leave this machine: comments and aliases are taken away, parameters are replaced by values.

- **Comments**: from \`--\`, \`#\` or \`//\` to the end of the line, and \`/* … */\`. The comment above the query describes the table.
- **A semicolon** at the end.
- **\`field AS column\`** gives the table's column a name. The day is always the column \`date\`.
- **Parameters**: \`:name\` stands for a value, or in a list for several: \`campaign.id IN (:campaigns)\`. Values are given with
  \`--param name=value\` (once per value of a list) or under \`params:\` in \`pacekeeper.yaml\`. A value is bound by the type of the field it is
  compared with and is never pasted into the text, so no value can change what a query asks.
- **Days of the account's calendar**, which need no value:`;

const OPERATOR_NOTES = `The provider's own table of operators is incomplete, so another operator is a warning only. \`LIKE\` knows \`%\` for any text and \`_\` for any
character, \`[%]\` and \`[_]\` for themselves, and looks at no case. A list holds 20,000 values at most.`;

const TABLES = `## The table of a query

\`queries/keyword_stats.sql\` fills the table \`keyword_stats\`. \`customer_id\` is its first column; then a column per selected field, dots to
underscores, \`metrics.\` and \`segments.\` dropped, or its alias. Beside an integer column of micros, such as \`cost_micros\`, the published file
has the amount in currency units, \`cost\`. Lists and messages are JSON text. The key that tells rows apart is \`customer_id\`, the day, the
resource's own ids and every other selected segment. \`pacekeeper check --schema\` prints all of it.

## What is not checked offline

Which fields can be filtered or ordered by, and which segments go with which metrics, is not in the catalogue. \`pacekeeper check --online\` asks
the service itself, by a search with \`validateOnly\`, where the interface has it.

The catalogue holds every field of version v25 of the public interface. \`ads.catalogue: spec\` in \`pacekeeper.yaml\` checks against the
specification's own table instead. \`ads.version\` is the address's path segment and no part of the check.`;
