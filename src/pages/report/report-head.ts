import { minuteText } from '../../domain/civil-date.ts';
import { modeWords } from '../../domain/frozen.ts';
import { type Html, html } from '../../html/html.ts';
import { aside, named } from '../../html/table.ts';
import { counted, monthText, percentText, stateText } from '../../html/wording.ts';
import type { AccountMonth, MonthTarget } from '../../results/account-month.ts';
import { RUN_WORDS } from '../../text/state-words.ts';
import { shareOfChange, shortDigits, shortMoney } from '../../views/report/month-words.ts';
import { perMille } from '../../views/report/pace.ts';
import type { LastRun, ReportFacts } from '../../views/report/report-facts.ts';

export interface Lead {
  readonly cards: Html;
  readonly run: bigint | undefined;
}

export function head(facts: ReportFacts, lead: Lead | undefined): Html {
  const { lastRun, asOf, target, mode, frozen, notes } = facts;
  const isShown = lead === undefined || lastRun?.id !== lead.run;
  return html`<h1>Report: spend, budgets and changes</h1>
${lead?.cards}<ul class="line">
<li>${asOf === undefined ? 'No data yet' : html`Numbers as of <time datetime="${asOf}">${minuteText(asOf)}</time>`}</li>
<li>${target ?? 'Target unknown yet'}</li>
<li>Mode ${modeWords(mode, frozen)}</li>
${isShown && html`<li>${lastRun === undefined ? 'No run yet' : runWords(lastRun)}</li>\n`}</ul>
${notes.map((note) => html`<p class="note">${note}</p>\n`)}`;
}

function runWords(run: LastRun): Html {
  return html`Run ${run.id}, pacekeeper ${run.command}${run.dryRun && ' (dry run)'}: ${stateText(RUN_WORDS[run.state])}`;
}

const HEADLINES_MAX = 6;

/** Accounts off target come first. */
export function headlineSection(months: readonly AccountMonth[], accountsLeftOut: number): Html | false {
  if (months.length === 0) return false;
  const rank = ({ target }: AccountMonth) => (target?.off === undefined ? 1 : 0);
  const shown = months.toSorted((one, other) => rank(one) - rank(other)).slice(0, HEADLINES_MAX);
  const all = months.length + accountsLeftOut;
  const off = months.filter(({ target }) => target?.off !== undefined).length;
  return html`<section data-section="headline" aria-label="Headline">
<ul class="headline">${shown.map((month) => html`<li>${headline(month)}</li>\n`)}</ul>
${all > shown.length && html`<p class="note">${counted(all - shown.length, 'more account')}. Off target: ${off} of ${counted(months.filter(({ target }) => target !== undefined).length, 'account')} with a target.</p>\n`}</section>
`;
}

function headline(month: AccountMonth): Html {
  const { name, customerId, currency, spent, monthEnd, target } = month;
  const called = html`<strong>${named(name ?? customerId)}</strong>`;
  if (month.month === undefined) return html`${called} has no complete day yet.`;
  const inMonth = monthText(month.month).replace(/ \d+$/, '');
  if (target?.isWhole) {
    return html`${called} is on course for ${courseWords(target, currency)} in ${inMonth}. ${whyWords(month)}`;
  }
  return html`${called} spent <strong>${shortMoney(spent, currency) ?? 'an unknown amount'}</strong> in ${inMonth}${monthEnd !== undefined && html` and is on course for ${shortMoney(monthEnd, currency)}`}. ${target !== undefined && html`Target of ${aside(target.rule)}: ${courseWords(target, currency)}. `}${whyWords(month)}`;
}

/** A change of the week below this share has no cause worth a sentence. In tenths of a percent. */
const NOTABLE = 30n;

function whyWords({ week, weekBefore, driver, largest, spent }: AccountMonth): Html | false {
  const change = perMille(week === undefined || weekBefore === undefined ? undefined : week - weekBefore, weekBefore);
  if (driver !== undefined && change !== undefined && (change >= NOTABLE || change <= -NOTABLE)) {
    return html`Last seven days: ${shareOfChange(week, weekBefore)}, mostly ${named(driver)}.`;
  }
  const share = perMille(largest?.spent, spent);
  return (
    largest !== undefined &&
    share !== undefined &&
    html`Largest campaign: ${named(largest.name)} (${percentText(share)}).`
  );
}

function courseWords({ projected, target, off }: MonthTarget, currency: string | undefined): Html {
  const share = shareOfChange(projected, target) ?? '';
  return html`<strong>${shortDigits(projected, currency)} of ${shortMoney(target, currency)}</strong> (${offText(share, off)})`;
}

/** Only a target has a colour: a month below its cap is no warning. */
export function offText(text: string, off: MonthTarget['off']): Html {
  if (off === undefined) return html`${text}`;
  return html`<span class="${off === 'over' ? 'bad' : 'warn'}">${text}, ${off} target</span>`;
}

const NEEDS_MAX = 10;

export function needsSection({ lastRun, needs }: ReportFacts): Html {
  const failures = (lastRun?.failures ?? []).map((failure) => html`<span class="bad">Failed:</span> ${failure}`);
  const all = [...failures, ...needs.map((need) => html`${need}`)];
  const rest = all.length - NEEDS_MAX;
  if (all.length === 0)
    return html`<section data-section="needs-you"><p><strong>Needs you:</strong> nothing.</p></section>\n`;
  return html`<section data-section="needs-you" aria-labelledby="needs">
<h2 id="needs">Needs you</h2>
<div class="notice${failures.length > 0 && ' serious'}"><ul>${all.slice(0, NEEDS_MAX).map((one) => html`<li>${one}</li>`)}</ul>${rest > 0 && html`<p>And ${rest} more. Run pacekeeper status.</p>`}</div>
</section>
`;
}
