import { addDays, civilDateAt } from '../../domain/civil-date.ts';
import { linkFrom, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import type { KeptInputs } from '../../engine/kept-inputs.ts';
import { refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { type Backtest, backtest, refuseToday } from '../../engine/trial/backtest.ts';
import { usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import { accountNames } from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { type DayChart, dayChart } from '../../views/html/chart/day-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { section } from '../../views/html/parts.ts';
import { drawnMoney, rangeText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { pastBudgetsChart } from '../../views/trial-charts.ts';
import { type ShownTrial, TRIAL_COLUMNS } from '../../views/trial-columns.ts';
import { EFFECTS_ARE_BOUNDS, effectsWords, historyWords, trialWords } from '../../views/trial-words.ts';
import { BACKTEST } from '../status/page-source.ts';
import { accountsInScope, asOfReport, type FolderRule, keptFor, problemOf, rightFiles } from './judge-rules.ts';
import { recordedBudgets } from './recorded-budgets.ts';
import { notesOf } from './rule-words.ts';

/** More days take longer than a person waits. */
const DAYS = [28, 90];
const CHARTS_MAX = 6;
const ACCOUNTS_MAX = 100;

/** An explicit step, because it takes seconds. A thread of its own makes the page with the answer. */
export async function backTestSection(
  app: StateApp,
  kept: KeptInputs,
  one: FolderRule,
  asked: string | null,
): Promise<Html | undefined> {
  const { name } = one.rule;
  const path = pathOf('rule', { name });
  const days = DAYS.find((each) => String(each) === asked);
  const ways = DAYS.map(
    (each) => html`<a href="${linkFrom(path, path)}?${BACKTEST}=${each}#backtest">Back-test the last ${each} days</a>`,
  );
  const body = days === undefined ? undefined : await answer(app, kept, one, days);
  return section(
    'Back-test',
    html`<div id="backtest">${body ?? html`<p class="note">A back-test decides for past days, with the data known then. It takes some seconds.</p>`}<p class="ways">${ways}</p></div>`,
  );
}

async function answer(app: StateApp, kept: KeptInputs, one: FolderRule, days: number): Promise<Html> {
  try {
    const tried = await keptFor(app, kept, [BACKTEST, one.rule.name, days], () => tryDays(app, kept, one, days));
    return shownTrial(redactTexts(tried, app.settings), one, app);
  } catch (error) {
    const { message, nextStep } = redactTexts(problemOf(error), app.settings);
    return html`<p class="notice" role="status">${message} ${nextStep}</p>`;
  }
}

type Trial = Backtest & { readonly accounts: Awaited<ReturnType<typeof accountsInScope>> };

async function tryDays(now: StateApp, { inputs }: KeptInputs, { rule, target }: FolderRule, count: number) {
  refuseToday(rule);
  const app = await asOfReport(now);
  const accounts = await accountsInScope(app);
  refuseAmbiguousMoney(rightFiles(inputs, [rule]), accounts);
  const { state, settings, clock } = app;
  const file = await state.warehouse.openPublished(warehousePath(settings.paths.data));
  try {
    const read = await recordedBudgets(app, file);
    const today = civilDateAt(clock.now(), 'UTC');
    // Somewhere, this day may not be over yet. Then the day before is the last one.
    const to = addDays(today, -2);
    const tried = await backtest(app, {
      rule,
      target,
      rates: inputs.rates,
      accounts,
      asked: { from: addDays(to, 1 - count), to },
      refusals: false,
      readNow: async ({ customerId }, own) => (usesLabels(own) ? 'its labels are not on record' : read(customerId)),
    });
    return { ...tried, accounts };
  } finally {
    file?.close();
  }
}

function shownTrial({ days, trials, accounts, notes, failures }: Trial, { rule }: FolderRule, app: StateApp): Html {
  const description = describeRule(rule, app.settings.automation.mode);
  const changed = trials.filter(({ sums }) => sums.changes > 0);
  const effects = effectsWords({ trials });
  const path = pathOf('rule', { name: rule.name });
  const drawn = changed.slice(0, CHARTS_MAX);
  const rows = trials.map(accountNames(accounts)).map((trial) => ({ ...trial, rule: rule.name }));
  const shown = rows.slice(0, ACCOUNTS_MAX);
  return html`<p class="find">${trialWords({ rule: description, trials })} <strong>${effects.join(' ')}</strong></p>
<p class="scope">${rangeText(days)}. ${historyWords(description)} ${effects.length > 0 && EFFECTS_ARE_BOUNDS}</p>
${notesOf([...notes, ...failures])}
${drawn.map((trial) => html`<div class="card">${dayChart(withSpend(pastBudgetsChart({ days, accounts }, trial), trial))}</div>`)}
<div class="card">${htmlTable(sheetOf(PAGE_COLUMNS, shown, 'people'), { caption: 'By account, all its campaigns', path })}${shown.length < trials.length && html`<p class="note">The first ${shown.length} of ${trials.length} accounts.</p>`}${drawn.length < changed.length && html`<p class="note">Charts of the first ${drawn.length} accounts.</p>`}</div>`;
}

/** Real spend of complete days, beside the budgets. */
function withSpend(budgets: DayChart, { spend, sums, currency }: Trial['trials'][number]): DayChart {
  if (spend === undefined) return budgets;
  const spent = drawnMoney(
    budgets.x.map((day) => spend.spentByDay.get(day)),
    currency,
  );
  return {
    ...budgets,
    title: `${budgets.title}, and its spend per day`,
    summary: `The lines sum all budgets of the account. The bars are its real spend on complete days.${sums.notEvaluated.length > 0 ? ' Days without lines were not judged.' : ''}`,
    series: [
      { name: 'Real spend', ...spent, bars: true },
      ...budgets.series.map((line, index) => ({ ...line, name: `Budgets ${line.name}`, colour: index + 1 })),
    ],
  };
}

/** Titles of the columns on a page. The account has a link. */
const TITLES = new Map([
  ['customer_id', 'Account'],
  ['evaluated', 'Days judged'],
  ['fired', 'Fired, all days'],
  ['alerts', 'Became true'],
  ['changes', 'Budget changes'],
  ['budgets_begin_micros', 'All budgets per day, before'],
  ['budgets_end_micros', 'All budgets per day, after'],
  ['spent_micros', 'Real spend of the account'],
  ['saved_micros', 'Saved, at most'],
  ['added_micros', 'Added, at most'],
]);

const PAGE_COLUMNS = TRIAL_COLUMNS.filter(({ key }) => TITLES.has(key)).map(
  (column): Column<ShownTrial> => ({ ...column, title: TITLES.get(column.key) }),
);
