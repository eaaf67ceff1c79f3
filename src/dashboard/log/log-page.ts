import { instantText } from '../../domain/civil-date.ts';
import { isId } from '../../domain/ids.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { Role } from '../../domain/role.ts';
import { grouped } from '../../domain/wording.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import {
  isLogKind,
  LOG_KINDS,
  type LogCount,
  type LogFilter,
  type LogRow,
  logCounts,
  logRows,
} from '../../storage/records/budgets/change-log.ts';
import { keptByHead } from '../../storage/records/budgets/kept-by-head.ts';
import { openProposals } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import {
  LOG_PARTS,
  type LogEntry,
  logEntries,
  partsOfLog,
  QUIET_KINDS,
  SHOWN_KINDS,
  unknownNames,
} from '../../views/change-log.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState } from '../../views/html/parts.ts';
import { counted, countText, dayOfYear } from '../../views/html/wording.ts';
import { csvText } from '../../views/kit/rows.ts';
import { joinedSheet } from '../../views/kit/sheet.ts';
import { rowsWorkbook } from '../../views/kit/workbook.ts';
import { namesOfBudgets } from '../report/budget-names.ts';
import { ruleTextsIn } from '../report/gather-report.ts';
import { standing, stateFrame } from '../status/frame.ts';
import {
  type Choice,
  fileFormat,
  fileLinks,
  filterForm,
  filterQuery,
  isChosen,
  isInRange,
  isRestricted,
  type PageFilter,
  readFilter,
} from '../status/page-filter.ts';
import type { Download, FileFormat } from '../status/page-source.ts';
import { endWords, KIND_TITLES, type LogReader, logEntry } from './log-entry.ts';
import { type Days, logFinding } from './log-finding.ts';
import { recordStanding } from './record-standing.ts';

const { path, title } = PAGES.log;

export const ENTRIES_MAX = 200;
const CSV_MAX = 50_000;
/** As long as a name on record can be. */
const NAME_MAX = 500;
const EVERYTHING = 'all';
const BY_PEOPLE = 'people';

/** Acts and changes. Refusals and suggestions, of which each run makes many, are counted and have a link. */
export async function logPage(app: StateApp, query: URLSearchParams, role: Role): Promise<string | Download> {
  const { db } = app.state;
  const accounts = await allAccounts(db);
  const filter = await logFilter(app, query);
  const wanted = wantedOf(filter);
  const format = fileFormat(query);
  if (format !== undefined) return logFile(app, wanted, format);
  const place = placeIn(query);
  const found = await logRows(db, wanted, { ...place, limit: ENTRIES_MAX + 1 });
  const rows = place.after === undefined ? found.slice(0, ENTRIES_MAX) : found.slice(-ENTRIES_MAX);
  const entries = await withNames(app, await logEntries(db, accounts, rows));
  const counts = await countsIn(app, { ...wanted, kinds: LOG_KINDS });
  const isShown = ({ kind }: LogCount) => wanted.kinds.includes(kind);
  const total = sumOf(counts.filter(isShown));
  const days = daysOf(filter, counts.filter(isShown));
  const facts = {
    entries,
    accounts,
    known: await countsIn(app, {}),
    filter,
    ofDays: days && (await countsIn(app, { ...wanted, ...days })),
    left: counts.filter((one) => !isShown(one)),
  };
  const shown = redactTexts(facts, app.settings);
  const isWhole = filter.customers.length === 0 && Object.keys(filter.choices ?? {}).length === 0;
  const finding = days && shown.ofDays && logFinding(shown.ofDays, days, await waitingIn(app, wanted, days), isWhole);
  const reader: LogReader = {
    role,
    isFrozen: (await standing(app)) !== undefined,
    now: instantText(app.clock.now()),
    accounts: shown.accounts,
    ruleTexts: redactTexts(ruleTextsIn(app.settings.paths), app.settings),
    only: (name, value) => filterQuery({ ...filter, choices: { ...filter.choices, [name]: value } }),
  };
  const none = total > 0n ? 'No such page.' : isRestricted(filter) ? 'No entry matches the filter.' : 'No entries yet.';
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: filterForm({
      path,
      filter: shown.filter,
      fields: ['days', 'customer'],
      accounts: shown.accounts,
      choices: choicesOf(shown.known),
    }),
    body: html`${finding && html`<p class="find">${finding}</p>`}
<p class="scope">${counted(total, 'entry', 'entries')}${BigInt(rows.length) < total && `, ${countText(rows.length)} on this page`}. Times are in UTC.${endWords(shown.entries, reader.now)}${leftOut(filter, shown.left)}</p>
${await recordStanding(app)}
${shown.entries.length === 0 ? emptyState(none) : grouped(shown.entries, ({ at }) => at.slice(0, 10)).map((ofDay) => dayOfLog(ofDay, reader))}
<p class="ways">${waysFrom(filter, place, rows, found.length > rows.length)}${total > 0n && fileLinks(path, filter)}${total > BigInt(CSV_MAX) && html`<span class="note">The files have the newest ${countText(CSV_MAX)}.</span>`}</p>`,
  });
}

async function logFile(
  { state: { db }, settings }: StateApp,
  wanted: LogFilter,
  format: FileFormat,
): Promise<Download> {
  const accounts = await allAccounts(db);
  const entries = await logEntries(db, accounts, await logRows(db, wanted, { limit: CSV_MAX }), true);
  const parts = redactTexts(partsOfLog(entries, { frozen: undefined, accounts }), settings);
  const name = 'change-log';
  const sheet = joinedSheet({ parts: LOG_PARTS }, parts, 'rows');
  return { name, format, content: format === 'csv' ? csvText(sheet) : rowsWorkbook(name, sheet) };
}

function countsIn({ state, settings }: StateApp, wanted: LogFilter): Promise<readonly LogCount[]> {
  return keptByHead(settings, state, JSON.stringify(['log', wanted]), () => logCounts(state.db, wanted));
}

function sumOf(counts: readonly LogCount[]): bigint {
  return counts.reduce((sum, { count }) => sum + count, 0n);
}

/** Texts of an address. Unknown names stay in the filter, so nothing matches, and a sentence says why. */
async function logFilter({ state: { db } }: StateApp, query: URLSearchParams): Promise<PageFilter> {
  const filter = readFilter(query);
  const choices = Object.fromEntries(
    ['by', 'rule', 'kind'].flatMap((name) => {
      const text = query.get(name)?.trim().slice(0, NAME_MAX) ?? '';
      return text === '' ? [] : [[name, text]];
    }),
  );
  const { kind = EVERYTHING } = choices;
  const isKnown = kind === EVERYTHING || kind === BY_PEOPLE || isLogKind(kind);
  const notes = [...(await unknownNames(db, choices)), ...(isKnown ? [] : ['The record has no such kind of entries.'])];
  return { ...filter, choices, notes: [...filter.notes, ...notes] };
}

function wantedOf({ from, to, customers, choices: { by, rule, kind } = {} }: PageFilter) {
  const isByPeople = kind === BY_PEOPLE;
  const isUsual = isByPeople || kind === undefined;
  const kinds = isUsual ? SHOWN_KINDS : LOG_KINDS.filter((one) => kind === EVERYTHING || kind === one);
  return { from, to, customers, by, rule, kinds, isByPeople };
}

function choicesOf(known: readonly LogCount[]): Choice[] {
  const names = (values: readonly (string | undefined)[]) =>
    [...new Set(values)].flatMap((value) => (value === undefined ? [] : [[value, value] as const])).toSorted();
  return [
    { name: 'by', label: 'Person', all: 'Everybody', values: names(known.map(({ person }) => person)) },
    { name: 'rule', label: 'Rule', all: 'All rules', values: names(known.map(({ rule }) => rule)) },
    {
      name: 'kind',
      label: 'Kind',
      all: 'Acts and changes',
      values: [
        [BY_PEOPLE, 'Acts of people'],
        ...LOG_KINDS.map((kind) => [kind, KIND_TITLES[kind]] as const),
        [EVERYTHING, 'All, also refusals'],
      ],
    },
  ];
}

/** The chosen days, or the day of the newest entry. Undefined without entries. */
function daysOf({ from, to }: PageFilter, counts: readonly LogCount[]): Days | undefined {
  const newest = counts
    .map(({ newest: at }) => at.slice(0, 10))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  if (from !== undefined || to !== undefined) return { from, to };
  const day = civilDate(newest);
  return { from: day, to: day };
}

/** How many requests of these days a person can still decide. */
async function waitingIn(
  { state: { db }, clock }: StateApp,
  { kinds, customers, by, rule, isByPeople }: ReturnType<typeof wantedOf>,
  days: Days,
): Promise<number> {
  if (by !== undefined || isByPeople || !kinds.includes('request')) return 0;
  const open = await openProposals(db, clock.now());
  return open.filter(
    (one) =>
      isChosen({ customers }, one.customerId) && isInRange(days, one.createdAt) && (rule ?? one.rule) === one.rule,
  ).length;
}

function placeIn(query: URLSearchParams): { readonly before?: bigint; readonly after?: bigint } {
  const after = query.get('after') ?? '';
  const before = query.get('before') ?? '';
  if (isId(after)) return { after: BigInt(after) };
  return isId(before) ? { before: BigInt(before) } : {};
}

function waysFrom(
  filter: PageFilter,
  { before, after }: ReturnType<typeof placeIn>,
  rows: readonly LogRow[],
  hasMore: boolean,
): readonly (Html | false | undefined)[] {
  const way = (place: Readonly<Record<string, string>>, rel: Html | false, words: string) =>
    html`<a href="${linkFrom(path, path)}${filterQuery(filter, place)}"${rel}>${words}</a>`;
  const hasNewer = after === undefined ? before !== undefined : hasMore;
  const hasOlder = after !== undefined || hasMore;
  const first = rows[0];
  const last = rows.at(-1);
  return [
    (hasNewer || rows.length === 0) && way({}, false, 'Newest'),
    hasNewer && first && way({ after: String(first.eventId) }, html` rel="prev"`, 'Newer'),
    hasOlder && last && way({ before: String(last.eventId) }, html` rel="next"`, 'Older'),
  ];
}

function leftOut(filter: PageFilter, left: readonly LogCount[]): Html | false {
  const links = QUIET_KINDS.flatMap((kind) => {
    const count = sumOf(left.filter((one) => one.kind === kind));
    const href = `${linkFrom(path, path)}${filterQuery({ ...filter, choices: { ...filter.choices, kind } })}`;
    return count === 0n || filter.choices?.kind !== undefined
      ? []
      : [html`<a href="${href}">${counted(count, kind)}</a>`];
  });
  return links.length > 0 && html` Not shown: ${links.map((link, index) => html`${index > 0 && ', '}${link}`)}.`;
}

function dayOfLog(entries: readonly LogEntry[], reader: LogReader): Html {
  const day = entries[0]?.at.slice(0, 10) ?? '';
  return html`<section><h2>${dayOfYear(civilDate(day))}</h2><ol class="events">${entries.map((entry) => logEntry(entry, reader))}</ol></section>
`;
}

/** Changes elsewhere have only the number of the budget. */
async function withNames(app: StateApp, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
  if (entries.every(({ foreign }) => foreign === undefined)) return entries;
  const named = await namesOfBudgets(app);
  return entries.map((entry) => ({ ...entry, foreign: entry.foreign && named(entry.foreign) }));
}
