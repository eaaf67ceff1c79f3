import { isMade, isUndo } from '../../domain/budget-change.ts';
import { addDays, type CivilDate, civilDateAt, daysBetween, daysOf, minuteText } from '../../domain/civil-date.ts';
import {
  type BudgetId,
  budgetId as budgetIdOf,
  type CustomerId,
  customerId as customerIdOf,
} from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import {
  CHANGE,
  CUSTOMER,
  type ShownChange,
  type ShownProposal,
  SUBJECT,
  UPDATED_AT,
} from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { foreignChangesOf } from '../../storage/records/budgets/foreign-change-table.ts';
import { intentsOfBudget } from '../../storage/records/budgets/intent-table.ts';
import { proposalsOfBudget } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { changeRows } from '../../storage/warehouse/publish/published-selects.ts';
import {
  type BudgetChanges,
  OF_ONE_BUDGET,
  showingChanges,
  showingForeign,
  shownProposals,
} from '../../views/budgets-history.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import type { Series } from '../../views/html/chart/plot.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, budgetName, figures, line, section } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import {
  amountText,
  costText,
  drawnAmount,
  drawnMoney,
  rangeText,
  shareText,
  shortDay,
} from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import type { Part } from '../../views/kit/listing.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { shownCsv } from '../../views/kit/rows.ts';
import { joinedSheet, sheetOf } from '../../views/kit/sheet.ts';
import { type KnownBudget, usedShare } from '../../views/known-budgets.ts';
import { count } from '../../views/text/text-layout.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { actPath, HELD } from '../inbox/acts.ts';
import { standing, stateFrame } from './frame.ts';
import { gatherKnownBudgets } from './gather-known-budgets.ts';
import {
  csvLink,
  filterForm,
  filterQuery,
  isCsv,
  isInRange,
  type PageFilter,
  readFilter,
  readyRanges,
} from './page-filter.ts';
import type { Download } from './page-source.ts';

const LIST_MAX = 500;

export async function budgetPage(
  app: StateApp,
  ids: { readonly customer: string; readonly budget: string },
  query: URLSearchParams,
  role: Role,
): Promise<string | Download | undefined> {
  const filter = readFilter(query);
  const found = await factsOf(app, customerIdOf(ids.customer), budgetIdOf(ids.budget), filter);
  if (found === undefined) return undefined;
  const { changes, foreign, proposals } = redactTexts(
    { changes: found.changes, foreign: found.foreign, proposals: found.proposals },
    app.settings,
  );
  const rejections = proposals.filter(({ state }) => state === 'rejected');
  const budget = { ...found, changes, foreign, proposals, rejections };
  const { customerId, budgetId, accountName, currency, amount, source, amountPath, spendPath, range } = budget;
  const { available, spend, campaignNames } = budget;
  const isFrozen = (await standing(app)) !== undefined;
  const historyOf = (reader: Role) => joinedSheet({ parts: historyParts(reader, isFrozen) }, budget, 'people');
  // A file has no acts.
  if (isCsv(query)) return { name: `budget-${budgetId}`, csv: shownCsv(historyOf('viewer')) };
  const name = budgetName(budget);
  const path = pathOf('budget', { customer: customerId, budget: budgetId });
  const used = shareText(usedShare({ spend, available }));
  const rowsLink = (to: string | undefined, words: string | undefined) =>
    to === undefined || words === undefined ? words : html`<a href="${linkFrom(path, to)}">${words}</a>`;
  const daily = rowsLink(amountPath, amount === undefined ? undefined : formatMoney(amount, currency));
  const spent = rowsLink(spendPath, costText(spend, currency));
  const shared = sharedBy(campaignNames);
  return stateFrame(app, {
    path,
    title: name,
    filter: filterForm({ path, filter, fields: ['days'], accounts: [], ranges: readyRanges(budget.newest) }),
    body: html`<p class="scope">${account(customerId, accountName, path)} · budget ${budgetId}${shared && html` · campaigns ${shared}`}</p>
${figures([
  { label: 'Now, a day', value: daily, note: amount === undefined ? undefined : `from ${source}` },
  { label: `Spend, ${rangeText(range)}`, value: spent, note: used && `${used} of the budgets of these days` },
])}
<div class="card">${history(stepsOf(budget), budget, filter)}</div>
${section(
  'History',
  changes.length + foreign.length + rejections.length > 0 &&
    html`${htmlTable(historyOf(role), { caption: 'Newest first, including changes by others', path })}
<p class="ways">${csvLink(path, filter)}${exploreLink(path, changeRows([customerId], budgetId), 'SQL')}</p>
${Math.max(changes.length, foreign.length) >= LIST_MAX && html`<p class="note">Only the newest ${LIST_MAX} are shown.</p>`}`,
)}
${section('Proposals', proposals.length > 0 && proposalTable(proposals, path))}
<p class="ways"><a href="${linkFrom(path, PAGES.budgets.path)}">All budgets</a><a href="${linkFrom(path, PAGES.log.path)}${filterQuery({ customers: [customerId] })}">Change log of the account</a></p>`,
  });
}

const CAMPAIGNS_MAX = 20;

/** Undefined for a budget of one campaign, because the title names it. */
function sharedBy(names: readonly string[]): Html | undefined {
  const more = names.length - CAMPAIGNS_MAX;
  if (names.length < 2) return undefined;
  const shown = names.slice(0, CAMPAIGNS_MAX).map((name, index) => html`${index > 0 && ', '}${named(line(name))}`);
  return html`${shown}${more > 0 && ` and ${more} more`}`;
}

const RUN = onPage.id('Run', ({ runId }: ShownChange) => runId, {
  link: ({ runId }) => (runId === undefined ? undefined : pathOf('run', { id: runId })),
});

/** The history, with a link to each run, and to the undo page for people who may act now. */
function historyParts(role: Role, isFrozen: boolean): Part<BudgetChanges>[] {
  const isOpen = (change: ShownChange) => may(role, 'undo') && isMade(change) && change.undoneBy === undefined;
  const words = isFrozen ? `Undo: ${HELD}` : 'Undo';
  const undo = onPage.text('Act', (change: ShownChange) => (isOpen(change) ? words : undefined), {
    link: (change) => (isFrozen ? undefined : actPath({ act: 'undo', on: `B${change.id}` })),
    importance: 3,
  });
  const more = [RUN, undo] as readonly Column<unknown>[];
  return OF_ONE_BUDGET.map((part) =>
    part.json === 'changes' ? { ...part, columns: [...part.columns.map(anchored), ...more] } : part,
  );
}

/** The marks of the chart lead to the rows. An account's day can be another one than in UTC. */
function anchored(column: Column<unknown>): Column<unknown> {
  if (column.key === UPDATED_AT.key) {
    const note = ({ accountDay, updatedAt }: ShownChange) =>
      updatedAt.startsWith(accountDay) ? undefined : `${shortDay(accountDay)} in the account`;
    return { ...column, note } as Column<unknown>;
  }
  if (column.key !== CHANGE.key) return column;
  const page = ({ id }: ShownChange) => html`<span id="B${id}">B${id}</span>`;
  return { ...column, page } as Column<unknown>;
}

async function factsOf(app: StateApp, customerId: CustomerId, budgetId: BudgetId, filter: PageFilter) {
  const { db } = app.state;
  const file = await app.state.warehouse.openPublished(warehousePath(app.settings.paths.data));
  try {
    const wanted = { ...filter, customers: [customerId], campaigns: [], budget: budgetId, offset: 0, limit: 1 };
    const { budgets, range, newest, query } = await gatherKnownBudgets(app, file, wanted);
    const [known] = budgets;
    if (known === undefined) return undefined;
    const accounts = (await allAccounts(db)).filter((account) => account.customerId === customerId);
    const changes = (await intentsOfBudget(db, customerId, budgetId)).map(await showingChanges(db, accounts));
    const foreign = (await foreignChangesOf(db, { customers: [customerId] }))
      .filter((change) => change.budgetId === budgetId)
      .map(showingForeign(accounts));
    const proposals = await shownProposals(db, accounts, await proposalsOfBudget(db, customerId, budgetId));
    return {
      ...known,
      range,
      newest,
      currency: known.currency ?? [...changes, ...proposals][0]?.currency,
      today: civilDateAt(app.clock.now(), 'UTC'),
      changes: changes.slice(0, LIST_MAX),
      foreign: foreign.slice(0, LIST_MAX),
      proposals: proposals.slice(0, LIST_MAX),
      spendByDay:
        file && query !== undefined && known.spend !== undefined ? await spendPerDay(file, query, known) : new Map(),
    };
  } finally {
    file?.close();
  }
}

type BudgetFacts = NonNullable<Awaited<ReturnType<typeof factsOf>>>;

/** Complete days of the last 13 months. A complete day without rows counts as 0. */
async function spendPerDay(
  file: PublishedData,
  query: string,
  { customerId, campaigns }: Pick<KnownBudget, 'customerId' | 'campaigns'>,
): Promise<ReadonlyMap<CivilDate, bigint | undefined>> {
  const states = await file.dayStates(query, customerId, EVER);
  const sums = await file.daysOfCampaigns(query, customerId, campaigns, EVER, END);
  const spent = new Map(sums.map(({ date, costMicros }) => [date, costMicros]));
  const settled = [...states].flatMap(([date, { state }]) => (state === 'settled' ? date : [])).slice(-PLACES_MAX);
  return new Map(settled.map((date) => [date, spent.has(date) ? spent.get(date) : 0n]));
}

const EVER = civilDate('1970-01-01');
const END = civilDate('9999-12-31');

/** Times are in UTC. */
interface Step {
  readonly at: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly rule: string;
  readonly why: string | undefined;
  /** The reason of the person leads. */
  readonly isUndo?: boolean;
  /** Only changes by pacekeeper have a number. */
  readonly id?: bigint;
}

const ELSEWHERE = { rule: 'changed elsewhere', why: undefined };

/** A person decides an undo, so the rule of the undone change is not shown. */
function ruleOf({ kind, undoes, rule }: Pick<ShownChange, 'kind' | 'undoes' | 'rule'>): string {
  return kind === 'undo' ? `undo of B${undoes}` : rule;
}

function stepsOf({ changes, foreign }: Pick<BudgetChanges, 'changes' | 'foreign'>): Step[] {
  const ours = changes.filter(isMade).map((change) => {
    const { id, updatedAt: at, from, to, reason: why } = change;
    return { at, from, to, rule: ruleOf(change), why, id, isUndo: isUndo(change) };
  });
  const others = foreign.map(({ seenAt: at, expected: from, found: to }) => ({ at, from, to, ...ELSEWHERE }));
  return [...ours, ...others].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** 13 months, in days. */
const PLACES_MAX = 396;
/** Shown before today if no earlier change is known. */
const SHOWN_DAYS = 60;

/** Shows one row per day, or one per change if a day has several. Begins before the first change. */
function history(steps: readonly Step[], facts: BudgetFacts, filter: PageFilter): Html {
  const { currency, today, amount: now, spendByDay } = facts;
  const first = steps[0];
  const last = steps.at(-1);
  const dayOf = ({ at }: Step) => civilDate(at.slice(0, 10));
  const ofDay = Map.groupBy(steps, dayOf);
  const month = addDays(today, -SHOWN_DAYS);
  const changed = first && addDays(dayOf(first), -1);
  const [spent = changed ?? month] = spendByDay.keys();
  const recent = daysBetween(month, spent) > 0 ? spent : month;
  const begin = changed !== undefined && (spendByDay.size === 0 || changed < recent) ? changed : recent;
  let amount = first?.from ?? now;
  const days = daysOf({ from: begin, to: last !== undefined && dayOf(last) > today ? dayOf(last) : today });
  const places = days.flatMap((day) =>
    (ofDay.get(day) ?? [undefined]).map((step, place, all) => {
      amount = step?.to ?? amount;
      const time = step !== undefined && all.length > 1 ? ` ${step.at.slice(11, 16)}` : '';
      return {
        day,
        name: `${day}${time}`,
        amount,
        currency,
        step,
        spent: place === 0 ? spendByDay.get(day) : undefined,
      };
    }),
  );
  const shown = places.filter(({ day }) => isInRange(filter, day)).slice(-PLACES_MAX);
  if (shown.length === 0) return html`<p>The range has no days since ${begin}.</p>`;
  const seen = shown.flatMap(({ step }) => step ?? []);
  return dayChart({
    title: 'Daily budget',
    summary: summaryOf(seen, shown.at(-1)?.amount, currency),
    unit: currency ?? '',
    ...drawnPlaces(shown, today),
    table: htmlTable(sheetOf(PLACE_COLUMNS, shown, 'people'), { caption: 'Daily budget and spend' }),
  });
}

/** To the minute. The budget lasts from the begin of the first day to the end of the last one. */
function drawnPlaces(shown: readonly Place[], today: CivilDate) {
  const byDay = [...Map.groupBy(shown, ({ day }) => day)];
  const x = byDay.map(([day]) => day);
  const first = shown[0];
  const last = shown.at(-1);
  const money = (amount: bigint | undefined) => amountText(amount, first?.currency);
  const changes = shown.flatMap(({ step }) => step ?? []);
  const words = (step: Step) =>
    `${step.id === undefined ? '' : `B${step.id}, `}${minuteText(step.at)} UTC, ${step.isUndo ? shortLine(step.why ?? '', MARK_WORDS_MAX) : step.rule}: ${money(step.from)} → ${money(step.to)}`;
  const budget: Series = {
    name: 'Daily budget',
    values: [first?.step?.from ?? first?.amount, ...changes.map(({ to }) => to)].map(drawnAmount),
    texts: byDay.map(([, places]) => {
      const from = money(places[0]?.step?.from);
      const to = money(places.at(-1)?.amount);
      return from === undefined ? to : `${from} → ${to}`;
    }),
    starts: [0, ...changes.map(({ at }) => (Date.parse(at) - Date.parse(x[0] ?? '')) / DAY_MS)],
    stepped: true,
    colour: 1,
    end: { value: money(last?.amount), word: last?.day === today ? 'in force' : 'at the end' },
    marks: changes.map((step, index) => ({
      index: index + 1,
      words: words(step),
      ...(step.id === undefined ? {} : { label: `B${step.id}`, href: `#B${step.id}` }),
    })),
  };
  const spent = byDay.map(([, places]) => places[0]?.spent);
  if (spent.every((amount) => amount === undefined)) return { x, series: [budget] };
  return { x, series: [{ name: 'Spend per day', ...drawnMoney(spent, first?.currency), bars: true }, budget] };
}

const DAY_MS = 86_400_000;
const MARK_WORDS_MAX = 100;

interface Place {
  readonly day: CivilDate;
  readonly name: string;
  readonly amount: bigint | undefined;
  readonly spent: bigint | undefined;
  readonly currency: string | undefined;
  readonly step: Step | undefined;
}

const PLACE_COLUMNS: readonly Column<Place>[] = [
  onPage.text('Day', 'name'),
  onPage.money('Daily budget', 'amount'),
  onPage.money('Spend', 'spent', { rounded: true }),
  onPage.text('Rule', ({ step }) => step?.rule),
  onPage.text('Why', ({ step }) => step?.why, { long: true }),
];

function summaryOf(steps: readonly Step[], now: bigint | undefined, currency: string | undefined): string {
  const [first] = steps;
  const last = steps.at(-1);
  const money = (amount: bigint) => formatMoney(amount, currency);
  if (first === undefined || last === undefined) {
    return `No changes.${now === undefined ? '' : ` The budget is ${money(now)}.`}`;
  }
  const amounts = steps.flatMap(({ from, to }) => [from, to]).sort((one, other) => (one < other ? -1 : 1));
  const low = amounts[0] ?? first.from;
  const high = amounts.at(-1) ?? last.to;
  const changes = count(steps.length, 'change');
  const isEnd = (amount: bigint) => amount === first.from || amount === last.to;
  const between = !isEnd(low) || !isEnd(high) ? `, between ${money(low)} and ${money(high)}` : '';
  const words =
    first.from === last.to
      ? `${money(last.to)} again after ${changes}${between}.`
      : `From ${money(first.from)} to ${money(last.to)} in ${changes}${between}.`;
  return `${words} Rings mark changes.`;
}

function proposalTable(proposals: readonly ShownProposal[], path: string): Html {
  const columns = PROPOSAL_COLUMNS.filter(({ key }) => key !== SUBJECT.key && key !== CUSTOMER.key);
  return html`${htmlTable(sheetOf(columns, proposals, 'people'), { caption: 'Newest first', path })}<p class="ways"><a href="${linkFrom(path, PAGES.inbox.path)}">Inbox</a></p>`;
}
