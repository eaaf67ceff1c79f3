import { type CivilDate, daysOf, endOfGrain } from '../../domain/civil-date.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { RecordedTarget } from '../../storage/records/runs/run-result-table.ts';
import { type DayChart, dayChart } from '../../views/html/chart/day-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside, named } from '../../views/html/table.ts';
import { drawnMoney, monthText, shortDay } from '../../views/html/wording.ts';
import { shortDigits, shortMoney, targetDigits } from '../../views/report/month-words.ts';
import { cumulativeSpend } from '../../views/report/pace.ts';
import type { AccountFacts, ChangeFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { changeMark } from './change-mark.ts';
import { leftWords } from './report-finding.ts';

/** The picture beside the finding: the course of the target it names, or the month of the first account. */
export function courseSection(facts: ReportFacts, months: readonly AccountMonth[], here?: string): Html | false {
  const { lead } = facts.targets ?? {};
  if (lead !== undefined && lead.days.length > 0) return targetCourse(lead, facts.ruleTexts?.get(lead.rule));
  const month = months.find(({ spent }) => spent !== undefined);
  const account = facts.accounts.find(({ customerId }) => customerId === month?.customerId);
  const drawing = account && month && monthDrawing(account, month, facts, here);
  const [first] = drawing?.x ?? [];
  if (month === undefined || drawing === undefined || first === undefined) return false;
  return card(html`${monthText(first)}, ${named(month.name ?? month.customerId)}`, undefined, drawing);
}

function card(title: Html | string, scope: Html | undefined, drawing: DayChart): Html {
  return html`<section data-section="course" class="course" aria-labelledby="course">
<h2 id="course">${title}</h2>
${scope && html`<p class="note">${scope}</p>\n`}${dayChart(drawing)}</section>
`;
}

/** The month of a target. `about` is its description. */
export function targetCourse(lead: RecordedTarget, about?: string): Html {
  const { rule, subject, covers, days, currency, target, projected } = lead;
  const spent = cumulated(days.map(({ cost }) => cost));
  const ideal = cumulated(days.map(({ ideal: own }) => own));
  const newest = spent.findLastIndex((sum) => sum !== undefined);
  const covered = covers.length > 0 ? covers.join(', ') : subject;
  return card(leftWords(lead), html`${aside(rule)}: ${aside(covered)}.${about !== undefined && html` ${about}`}`, {
    title: `${rule}, ${monthText(days[0]?.date as CivilDate)}`,
    summary: `On course for ${targetDigits({ target: target ?? 0n, projected: projected ?? 0n }, currency)} ${currency ?? ''}.`,
    unit: currency ?? '',
    x: days.map(({ date }) => date),
    series: [
      { name: 'Spent', ...drawnMoney(spent, currency) },
      {
        name: 'On course',
        ...drawnMoney(toEnd(spent, newest, projected), currency),
        dashed: true,
        colour: 1,
        end: { value: shortDigits(projected, currency), word: 'on course' },
      },
      {
        name: 'Ideal',
        ...drawnMoney(ideal, currency),
        dashed: true,
        colour: 3,
        end: { value: shortDigits(target, currency), word: 'target' },
      },
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
function toEnd(sums: readonly (bigint | undefined)[], newest: number, end: bigint | undefined): (bigint | undefined)[] {
  const now = sums[newest];
  const steps = BigInt(Math.max(1, sums.length - 1 - newest));
  if (now === undefined || end === undefined) return sums.map(() => undefined);
  return sums.map((_, index) => (index < newest ? undefined : now + ((end - now) * BigInt(index - newest)) / steps));
}

/** The account's month until the newest complete day, its expected end, and its target if it covers the whole account. */
export function monthDrawing(
  account: AccountFacts,
  month: AccountMonth,
  facts: Pick<ReportFacts, 'changes'>,
  here?: string,
): DayChart | undefined {
  const { month: from, completeUntil: newest, spent, monthEnd, target, currency } = month;
  if (from === undefined || newest === undefined || spent === undefined) return undefined;
  const dates = daysOf({ from, to: endOfGrain('month', from) });
  const sums = cumulativeSpend(account.days, dates, newest);
  const at = dates.indexOf(newest);
  const changed = Map.groupBy(changesOf(month, facts), ({ accountDay }) => accountDay);
  const marks = dates.flatMap((date, index) => changeMark(changed.get(date) ?? [], index, here));
  const expected = toEnd([...sums.slice(0, at), spent, ...sums.slice(at + 1)], at, monthEnd);
  const planned = target?.isWhole ? target.target : undefined;
  return {
    title: 'Spend of the month',
    summary: `${shortMoney(spent, currency)} until ${shortDay(newest)}, expected ${shortMoney(monthEnd, currency) ?? 'unknown'}`,
    unit: currency ?? '',
    x: dates,
    series: [
      { name: 'spent', ...drawnMoney(sums, currency), marks: marks.filter(({ index }) => index <= at) },
      {
        name: 'expected',
        ...drawnMoney(expected, currency),
        dashed: true,
        colour: 1,
        marks: marks.filter(({ index }) => index > at),
        end: { value: shortDigits(monthEnd, currency), word: 'expected' },
      },
      ...(planned === undefined
        ? []
        : [
            {
              name: 'target',
              ...drawnMoney(
                dates.map((_, index) => (planned * BigInt(index + 1)) / BigInt(dates.length)),
                currency,
              ),
              colour: 3,
              end: { value: shortDigits(planned, currency), word: 'target' },
            },
          ]),
    ],
  };
}

/** Changes of the month, as far as the chart has a line. */
export function changesOf(
  { customerId, month, completeUntil, spent, monthEnd }: AccountMonth,
  { changes }: Pick<ReportFacts, 'changes'>,
): ChangeFacts[] {
  if (month === undefined || completeUntil === undefined || spent === undefined) return [];
  const to = monthEnd === undefined ? completeUntil : endOfGrain('month', month);
  return changes.filter((one) => one.customerId === customerId && one.accountDay >= month && one.accountDay <= to);
}
