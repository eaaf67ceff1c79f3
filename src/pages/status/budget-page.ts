import type { StateApp } from '../../app.ts';
import { isMade } from '../../domain/budget-change.ts';
import { addDays, civilDateAt, daysOf } from '../../domain/civil-date.ts';
import {
  type BudgetId,
  budgetId as budgetIdOf,
  type CustomerId,
  customerId as customerIdOf,
} from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { grouped } from '../../domain/wording.ts';
import { chart } from '../../html/charts.ts';
import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES, pathOf } from '../../html/pages.ts';
import { facts, instant, line, section } from '../../html/parts.ts';
import { numbers, table, words } from '../../html/table.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { foreignChangesOf } from '../../store/budgets/foreign-change-table.ts';
import { intentsOfBudget } from '../../store/budgets/intent-table.ts';
import { proposalsOfBudget } from '../../store/budgets/proposal-table.ts';
import { allAccounts } from '../../store/runs/account-table.ts';
import { count } from '../../text/text-layout.ts';
import { CUSTOMER, type ShownChange, SUBJECT } from '../../views/budget-columns.ts';
import { type BudgetChanges, OF_ONE_BUDGET, showingChanges, showingForeign } from '../../views/budgets-history.ts';
import { PROPOSAL_COLUMNS, type ShownProposal } from '../../views/budgets-list.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { joinedSheet, sheetOf } from '../../views/kit/sheet.ts';
import { budgetName } from './budget-link.ts';
import { stateFrame } from './frame.ts';

const LIST_MAX = 500;

export async function budgetPage(
  app: StateApp,
  ids: { readonly customer: string; readonly budget: string },
): Promise<string | undefined> {
  const found = await factsOf(app, customerIdOf(ids.customer), budgetIdOf(ids.budget));
  if (found === undefined) return undefined;
  const budget = redactTexts(found, app.settings);
  const { customerId, budgetId, accountName, currency, changes, foreign, proposals } = budget;
  const name = budgetName(budget);
  const path = pathOf('budget', { customer: customerId, budget: budgetId });
  const steps = stepsOf(budget);
  const newest = steps.at(-1);
  return stateFrame(app, {
    path,
    title: name,
    body: html`<h1>${name}</h1>
${facts([
  ['Account', html`${line(accountName ?? customerId)} <small>${customerId}</small>`],
  ['Budget', budgetId],
  ['Last known', newest && `${formatMoney(newest.to, currency)} a day`],
  ['Known since', newest && instant(newest.at)],
])}
${history(steps, budget) ?? html`<p>No changes yet.</p>`}
${section(
  'History',
  changes.length + foreign.length > 0 &&
    html`${htmlTable(joinedSheet({ parts: OF_ONE_BUDGET }, budget, 'people'), { caption: 'Newest first, including changes by others', path })}
${Math.max(changes.length, foreign.length) >= LIST_MAX && html`<p class="note">Only the newest ${LIST_MAX} are shown.</p>`}`,
)}
${section('Proposals', proposals.length > 0 && proposalTable(proposals, path))}
<p class="ways"><a href="${linkFrom(path, PAGES.budgets.path)}">All budgets</a></p>`,
  });
}

async function factsOf(app: StateApp, customerId: CustomerId, budgetId: BudgetId) {
  const { db } = app.state;
  const accounts = (await allAccounts(db)).filter((account) => account.customerId === customerId);
  const changes = (await intentsOfBudget(db, customerId, budgetId)).map(await showingChanges(db, accounts));
  const foreign = (await foreignChangesOf(db, { customers: [customerId] }))
    .filter((change) => change.budgetId === budgetId)
    .map(showingForeign(accounts));
  const proposals = await proposalsOfBudget(db, customerId, budgetId);
  const decided = [...changes, ...proposals];
  if (decided.length + foreign.length === 0) return undefined;
  return {
    customerId,
    budgetId,
    accountName: accounts[0]?.name,
    currency: accounts[0]?.currency ?? decided[0]?.currency,
    campaignName: decided.find((change) => change.campaignName !== undefined)?.campaignName,
    today: civilDateAt(app.clock.now(), 'UTC'),
    changes: changes.slice(0, LIST_MAX),
    foreign: foreign.slice(0, LIST_MAX),
    proposals: proposals.slice(0, LIST_MAX),
  };
}

type BudgetFacts = NonNullable<Awaited<ReturnType<typeof factsOf>>>;

/** Times are in UTC. */
interface Step {
  readonly at: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly rule: string;
  readonly why: string | undefined;
}

const ELSEWHERE = { rule: 'changed elsewhere', why: undefined };

/** A person decides an undo, so the rule of the undone change is not shown. */
function ruleOf({ kind, undoes, rule }: Pick<ShownChange, 'kind' | 'undoes' | 'rule'>): string {
  return kind === 'undo' ? `undo of B${undoes}` : rule;
}

function stepsOf({ changes, foreign }: BudgetChanges): Step[] {
  const ours = changes.filter(isMade).map((change) => {
    const { updatedAt: at, from, to, reason: why } = change;
    return { at, from, to, rule: ruleOf(change), why };
  });
  const others = foreign.map(({ seenAt: at, expected: from, found: to }) => ({ at, from, to, ...ELSEWHERE }));
  return [...ours, ...others].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** 13 months, in days. */
const PLACES_MAX = 396;

function history(steps: readonly Step[], { currency, today }: BudgetFacts): Html | undefined {
  const first = steps[0];
  const last = steps.at(-1);
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
    kind: 'line',
    wide: true,
    unit: currency ?? '',
    x: shown.map(({ name }) => name),
    series: [{ name: 'Daily budget', values: shown.map(({ value }) => value), stepped: true }],
    table: table({
      caption: 'Changes in effect',
      columns: [...words('When'), ...numbers('Before', 'After'), ...words('Rule'), { title: 'Why', long: true }],
      rows: steps.map(({ at, from, to, rule, why }) => [
        instant(at),
        formatMoney(from, currency),
        formatMoney(to, currency),
        line(rule),
        line(why),
      ]),
    }),
  });
}

function summaryOf(steps: readonly Step[], first: Step, last: Step, currency: string | undefined): string {
  const money = (amount: bigint) => formatMoney(amount, currency);
  const amounts = steps.flatMap(({ from, to }) => [from, to]).sort((one, other) => (one < other ? -1 : 1));
  const low = amounts[0] ?? first.from;
  const high = amounts.at(-1) ?? last.to;
  const changes = count(steps.length, 'change');
  const isEnd = (amount: bigint) => amount === first.from || amount === last.to;
  const between = !isEnd(low) || !isEnd(high) ? `, between ${money(low)} and ${money(high)}` : '';
  return first.from === last.to
    ? `${money(last.to)} again after ${changes}${between}.`
    : `From ${money(first.from)} to ${money(last.to)} in ${changes}${between}.`;
}

function proposalTable(proposals: readonly ShownProposal[], path: string): Html {
  const columns = PROPOSAL_COLUMNS.filter(({ key }) => key !== SUBJECT.key && key !== CUSTOMER.key);
  return html`${htmlTable(sheetOf(columns, proposals, 'people'), { caption: 'Newest first', path })}<p class="ways"><a href="${linkFrom(path, PAGES.inbox.path)}">Inbox</a></p>`;
}
