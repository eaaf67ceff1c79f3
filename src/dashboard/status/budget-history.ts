import { isMade, isUndo } from '../../domain/budget-change.ts';
import { addDays, type CivilDate, daysBetween, daysOf, minuteText } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { ShownChange } from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { foreignChangesOf } from '../../storage/records/budgets/foreign-change-table.ts';
import { intentsOfBudget } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';
import { type BudgetChanges, showingChanges, showingForeign } from '../../views/budgets-history.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import type { Series } from '../../views/html/chart/plot.ts';
import { type Html, html } from '../../views/html/html.ts';
import { amountText, drawnAmount, drawnMoney } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { count } from '../../views/text/text-layout.ts';
import { isInRange, type PageFilter } from './page-filter.ts';

export const CHANGES_MAX = 500;

/** Newest first. */
export async function changesOfBudget(
  db: StateDb,
  accounts: readonly Account[],
  customerId: CustomerId,
  budgetId: BudgetId,
): Promise<Pick<BudgetChanges, 'changes' | 'foreign'>> {
  const changes = (await intentsOfBudget(db, customerId, budgetId)).map(await showingChanges(db, accounts));
  const foreign = (await foreignChangesOf(db, { customers: [customerId] }))
    .filter((change) => change.budgetId === budgetId)
    .map(showingForeign(accounts));
  return { changes: changes.slice(0, CHANGES_MAX), foreign: foreign.slice(0, CHANGES_MAX) };
}

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

function stepsOf({ changes, foreign }: BudgetCourse): Step[] {
  const ours = changes.filter(isMade).map((change) => {
    const { id, updatedAt: at, from, to, reason: why } = change;
    return { at, from, to, rule: ruleOf(change), why, id, isUndo: isUndo(change) };
  });
  const others = foreign.map(({ seenAt: at, expected: from, found: to }) => ({ at, from, to, ...ELSEWHERE }));
  return [...ours, ...others].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** 13 months, in days. */
export const PLACES_MAX = 396;
/** Shown before today if no earlier change is known. */
const SHOWN_DAYS = 60;

/** The changes of a budget, and the spend to compare it with. */
export interface BudgetCourse extends Pick<BudgetChanges, 'changes' | 'foreign'> {
  readonly title: string;
  readonly currency: string | undefined;
  /** In UTC. */
  readonly today: CivilDate;
  /** The amount now. */
  readonly amount: bigint | undefined;
  /** Complete days, oldest first. */
  readonly spendByDay: ReadonlyMap<CivilDate, bigint | undefined>;
  /** The marks lead to the rows of the changes on this page. Undefined if they are on the same page. */
  readonly rowsAt?: string | undefined;
}

/** Shows one row per day, or one per change if a day has several. Begins before the first change. */
export function budgetHistory(facts: BudgetCourse, filter: Pick<PageFilter, 'from' | 'to'>): Html {
  const { title, currency, today, amount: now, spendByDay, rowsAt = '' } = facts;
  const steps = stepsOf(facts);
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
    title,
    summary: summaryOf(seen, shown.at(-1)?.amount, currency),
    unit: currency ?? '',
    ...drawnPlaces(shown, today, rowsAt),
    table: htmlTable(sheetOf(PLACE_COLUMNS, shown, 'people'), { caption: 'Daily budget and spend' }),
  });
}

/** To the minute. The budget lasts from the begin of the first day to the end of the last one. */
function drawnPlaces(shown: readonly Place[], today: CivilDate, rowsAt: string) {
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
      ...(step.id === undefined ? {} : { label: `B${step.id}`, href: `${rowsAt}#B${step.id}` }),
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
