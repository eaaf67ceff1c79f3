import { addDays, type CivilDate, civilDate, daysOf } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import { grouped } from '../../domain/grouped.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { isMade } from '../../domain/made-change.ts';
import { formatMoney } from '../../domain/micros.ts';
import type { BudgetHistory, ShownChange, ShownProposal } from '../../report/render-budgets.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from '../../report/state-words.ts';
import { count } from '../../report/text-layout.ts';
import { chart } from '../charts.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { budgetName } from './budget-link.ts';
import { frame } from './frame.ts';
import { linkFrom, PAGES, pathOf } from './pages.ts';
import { amountChange, badge, column, facts, instant, line, section } from './parts.ts';

export type BudgetEntry = Exclude<BudgetHistory['entries'][number], { readonly kind: 'record' }>;

export interface BudgetPageFacts {
  readonly frozen: Frozen | undefined;
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly accountName: string | undefined;
  readonly currency: string | undefined;
  readonly campaignName: string | undefined;
  /** Of UTC: what was set last stands until then. */
  readonly today: CivilDate;
  /** The newest first. */
  readonly entries: readonly BudgetEntry[];
  readonly proposals: readonly ShownProposal[];
  /** Where the list is as long as this, there may be more. */
  readonly listMax: number;
}

/** What a budget was, when it changed, who changed it and why. */
export function budgetPage(budget: BudgetPageFacts): string {
  const { customerId, budgetId, accountName, currency, entries, proposals, listMax, frozen } = budget;
  const name = budgetName(budget);
  const path = pathOf('budget', { customer: customerId, budget: budgetId });
  const steps = stepsOf(entries);
  const newest = steps.at(-1);
  return frame({
    path,
    title: name,
    frozen,
    isKnown: true,
    body: html`<h1>${name}</h1>
${facts([
  ['Account', html`${line(accountName ?? customerId)} <small>${customerId}</small>`],
  ['Budget', budgetId],
  ['Last known', newest && `${formatMoney(newest.to, currency)} a day`],
  ['Known since', newest && instant(newest.at)],
])}
${history(steps, budget) ?? html`<p>It was not changed yet.</p>`}
${section(
  'What happened',
  entries.length > 0 &&
    html`${entryTable(entries, currency)}
${entries.length >= listMax && html`<p class="note">Only the newest ${listMax} are shown.</p>`}`,
)}
${section('Proposals', proposals.length > 0 && proposalTable(proposals, path))}
<p class="ways"><a href="${linkFrom(path, PAGES.budgets.path)}">All budgets</a></p>`,
  });
}

/** The budget became another amount. Instants are UTC. */
interface Step {
  readonly at: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly rule: string;
  readonly why: string | undefined;
}

const ELSEWHERE = { rule: 'changed elsewhere', why: undefined };

/** Of an undo the rule whose change was taken back is not who decided. */
function ruleOf({ kind, undoes, rule }: Pick<ShownChange, 'kind' | 'undoes' | 'rule'>): string {
  return kind === 'undo' ? `undo of B${undoes}` : rule;
}

/** What stands, oldest first: our changes that were made, and those of others. */
function stepsOf(entries: readonly BudgetEntry[]): Step[] {
  return entries.toReversed().flatMap((entry): Step[] => {
    if (entry.kind === 'foreign') {
      return [{ at: entry.change.seenAt, from: entry.change.expected, to: entry.change.found, ...ELSEWHERE }];
    }
    const { updatedAt, from, to, reason } = entry.change;
    const step = { at: updatedAt, from, to, rule: ruleOf(entry.change), why: reason };
    return isMade(entry.change) ? [step] : [];
  });
}

/** A year and a month of days fit a chart; the table behind it has every change. */
const PLACES_MAX = 396;

/** The amount day by day, and change by change on a day that has more than one, from the day before the first until now. */
function history(steps: readonly Step[], { currency, today }: BudgetPageFacts): Html | undefined {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const dayOf = ({ at }: Step) => civilDate(at.slice(0, 10));
  const byDay = grouped(steps, dayOf);
  const ofDay = new Map(byDay.map((some) => [some[0] && dayOf(some[0]), some]));
  const days = daysOf({ from: addDays(dayOf(first), -1), to: today > dayOf(last) ? today : dayOf(last) });
  let amount = first.from;
  const places = days.flatMap((day) =>
    (ofDay.get(day) ?? [undefined]).map((step, _, all) => {
      amount = step?.to ?? amount;
      const time = step !== undefined && all.length > 1 ? ` ${step.at.slice(11, 16)}` : '';
      return { name: `${day}${time}`, value: Number(amount) / 1e6 };
    }),
  );
  const shown = places.slice(-PLACES_MAX);
  return chart({
    title: 'Daily budget',
    summary: summaryOf(steps, first, last, currency),
    ...{ kind: 'line', wide: true, unit: currency ?? '' },
    x: shown.map(({ name }) => name),
    series: [{ name: 'Daily budget', values: shown.map(({ value }) => value), stepped: true }],
    table: table({
      caption: 'The changes that stand',
      columns: [
        { title: 'When' },
        { title: 'Before', numeric: true },
        { title: 'After', numeric: true },
        ...['Rule', 'Why'].map(column),
      ],
      rows: steps.map(({ at, from, to, rule, why }) => [
        ...[instant(at), formatMoney(from, currency), formatMoney(to, currency), line(rule), line(why)],
      ]),
    }),
  });
}

/** Two amounts that are the same do not say that nothing happened between them. */
function summaryOf(steps: readonly Step[], first: Step, last: Step, currency: string | undefined): string {
  const money = (amount: bigint) => formatMoney(amount, currency);
  const amounts = steps.flatMap(({ from, to }) => [from, to]).sort((one, other) => (one < other ? -1 : 1));
  const [low, high] = [amounts[0] ?? first.from, amounts.at(-1) ?? last.to];
  const changes = count(steps.length, 'change');
  const isEnd = (amount: bigint) => amount === first.from || amount === last.to;
  const between = !isEnd(low) || !isEnd(high) ? `, between ${money(low)} and ${money(high)}` : '';
  return first.from === last.to
    ? `It is ${money(last.to)} again after ${changes}${between}.`
    : `It went from ${money(first.from)} to ${money(last.to)} in ${changes}${between}.`;
}

function entryTable(entries: readonly BudgetEntry[], currency: string | undefined): Html {
  return table({
    caption: 'The newest first, with what others changed',
    columns: ['When', 'What', 'Amount', 'Rule', 'Why', 'Who', 'Outcome'].map(column),
    rows: entries.map((entry) => {
      if (entry.kind === 'foreign') {
        const { seenAt, expected, found } = entry.change;
        return [
          ...[instant(seenAt), badge(['changed elsewhere', 'plain']), amountChange(expected, found, currency)],
          ...['', '', 'someone else', ''],
        ];
      }
      const { id, updatedAt, from, to, actor, reason, outcome, undoneBy, beyondLimits } = entry.change;
      const beyond = beyondLimits && ` Beyond limits (${beyondLimits}).`;
      const undone = undoneBy && ` Undone by B${undoneBy.id}.`;
      return [
        instant(updatedAt),
        html`B${id} ${badge(CHANGE_WORDS[entry.change.state])}`,
        amountChange(from, to, entry.change.currency),
        line(ruleOf(entry.change)),
        line(reason),
        line(actor),
        html`${line(outcome)}${beyond}${undone}`,
      ];
    }),
  });
}

function proposalTable(proposals: readonly ShownProposal[], path: string): Html {
  return html`${table({
    caption: 'The newest first',
    columns: ['Made', 'Code', 'State', 'Amount', 'Rule', 'Why', 'By'].map(column),
    rows: proposals.map((proposal) => [
      instant(proposal.createdAt),
      html`<span class="code">${proposal.code}</span>`,
      badge(PROPOSAL_WORDS[proposal.state]),
      amountChange(proposal.from, proposal.to, proposal.currency),
      line(proposal.rule),
      line(proposal.reason),
      line(proposal.decidedBy),
    ]),
  })}<p class="ways"><a href="${linkFrom(path, PAGES.proposals.path)}">All proposals</a></p>`;
}
