import { type CivilDate, daysOf, endOfGrain } from '../../domain/civil-date.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { RecordedTarget } from '../../storage/records/runs/run-result-table.ts';
import { type DayChart, dayChart } from '../../views/html/day-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside, named } from '../../views/html/table.ts';
import { drawnAmount, monthText, shortDay } from '../../views/html/wording.ts';
import { shortMoney, targetDigits } from '../../views/report/month-words.ts';
import { cumulativeSpend } from '../../views/report/pace.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { leftWords } from './report-finding.ts';

/** The picture beside the finding: the course of the target it names, or the month of the first account. */
export function courseSection(facts: ReportFacts, months: readonly AccountMonth[]): Html | false {
  const { lead } = facts.targets ?? {};
  if (lead !== undefined && lead.days.length > 0) return targetCourse(lead, facts);
  const month = months.find(({ spent }) => spent !== undefined);
  const account = facts.accounts.find(({ customerId }) => customerId === month?.customerId);
  const drawing = account && month && monthDrawing(account, month, facts);
  return drawing !== undefined && card('', named(month?.name ?? month?.customerId ?? ''), drawing);
}

function card(title: Html | string, scope: Html | string, drawing: DayChart): Html {
  return html`<section data-section="course" class="course" aria-labelledby="course">
<h2 id="course">${title === '' ? drawing.summary : title}</h2>
<p class="note">${scope}</p>
${dayChart(drawing)}</section>
`;
}

function targetCourse(lead: RecordedTarget, { ruleTexts }: ReportFacts): Html {
  const { rule, subject, covers, days, currency, target, projected } = lead;
  const spent = cumulated(days.map(({ cost }) => cost));
  const ideal = cumulated(days.map(({ ideal: own }) => own));
  const newest = spent.findLastIndex((sum) => sum !== undefined);
  const about = ruleTexts?.get(rule);
  const covered = covers.length > 0 ? covers.join(', ') : subject;
  return card(leftWords(lead), html`${aside(rule)}: ${aside(covered)}.${about !== undefined && html` ${about}`}`, {
    title: `${rule}, ${monthText(days[0]?.date as CivilDate)}`,
    summary: `On course for ${targetDigits({ target: target ?? 0n, projected: projected ?? 0n }, currency)} ${currency ?? ''}.`,
    kind: 'line',
    wide: true,
    unit: currency ?? '',
    x: days.map(({ date }) => date),
    series: [
      { name: 'Spent', values: spent.map(drawnAmount) },
      { name: 'On course', values: toEnd(spent, newest, projected), dashed: true, colour: 0 },
      { name: 'Ideal', values: ideal.map(drawnAmount), dashed: true, colour: 2 },
    ],
  });
}

function cumulated(amounts: readonly (bigint | undefined)[]): (bigint | undefined)[] {
  let sum: bigint | undefined = 0n;
  return amounts.map((amount) => {
    sum = sumOfKnown([sum, amount]);
    return sum;
  });
}

/** A straight line from the newest known sum to the end. */
function toEnd(sums: readonly (bigint | undefined)[], newest: number, end: bigint | undefined): (number | undefined)[] {
  const now = drawnAmount(sums[newest]);
  const last = drawnAmount(end);
  const steps = Math.max(1, sums.length - 1 - newest);
  if (now === undefined || last === undefined) return sums.map(() => undefined);
  return sums.map((_, index) => (index < newest ? undefined : now + ((last - now) * (index - newest)) / steps));
}

/** The account's month until the newest complete day, its expected end, and its target if it covers the whole account. */
export function monthDrawing(
  account: AccountFacts,
  month: AccountMonth,
  facts: Pick<ReportFacts, 'changes'>,
): DayChart | undefined {
  const { month: from, completeUntil: newest, spent, monthEnd, target, currency } = month;
  if (from === undefined || newest === undefined || spent === undefined) return undefined;
  const dates = daysOf({ from, to: endOfGrain('month', from) });
  const sums = cumulativeSpend(account.days, dates, newest);
  const at = dates.indexOf(newest);
  const changed = new Set(changedDays(month, facts));
  const marks = dates.flatMap((date, index) => (changed.has(date) ? [index] : []));
  const expected = toEnd([...sums.slice(0, at), spent, ...sums.slice(at + 1)], at, monthEnd);
  const planned = target?.isWhole ? drawnAmount(target.target) : undefined;
  return {
    title: 'Spend of the month',
    summary: `${shortMoney(spent, currency)} until ${shortDay(newest)}, expected ${shortMoney(monthEnd, currency) ?? 'unknown'}`,
    kind: 'line',
    unit: currency ?? '',
    x: dates,
    series: [
      { name: 'spent', values: sums.map(drawnAmount), marked: marks },
      { name: 'expected', values: expected, dashed: true, colour: 0, marked: marks.filter((index) => index > at) },
      ...(planned === undefined
        ? []
        : [{ name: 'target', values: dates.map((_, index) => (planned * (index + 1)) / dates.length), colour: 2 }]),
    ],
  };
}

/** Days of the month with budget changes, as far as the chart has a line. */
export function changedDays(
  { customerId, month, completeUntil, spent, monthEnd }: AccountMonth,
  { changes }: Pick<ReportFacts, 'changes'>,
): CivilDate[] {
  if (month === undefined || completeUntil === undefined || spent === undefined) return [];
  const to = monthEnd === undefined ? completeUntil : endOfGrain('month', month);
  const days = changes.filter((one) => one.customerId === customerId).map(({ accountDay }) => accountDay);
  return days.filter((day) => day >= month && day <= to);
}
