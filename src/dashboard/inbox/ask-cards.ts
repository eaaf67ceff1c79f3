import { agentOf } from '../../domain/budget-change.ts';
import { isWholeMonth } from '../../domain/civil-date.ts';
import { formatDigits } from '../../domain/micros.ts';
import { linkFrom } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { ShownProposal } from '../../storage/columns/budget-columns.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, badge, budgetName, instant, line, ruleLink } from '../../views/html/parts.ts';
import { aside, named } from '../../views/html/table.ts';
import { counted, countText, monthText, percentText, rangeText } from '../../views/html/wording.ts';
import { endingDay } from '../../views/report/decision-words.ts';
import { shortDigits, shortMoney } from '../../views/report/month-words.ts';
import { descending } from '../../views/report/movers.ts';
import { perMille } from '../../views/report/pace.ts';
import { courseOf } from '../../views/report/shared-targets.ts';
import { APPROVE_ALL, HELD, LINES_MAX } from './acts.ts';
import { lineAmounts, lineName, totalFigure, totalOf } from './plan-lines.ts';

/** Proposals of one rule, run and account, which a person weighs together. A suggestion of an agent stands alone. */
export interface Ask {
  readonly proposals: readonly [ShownProposal, ...ShownProposal[]];
  /** The target that asks, as its run found it. Undefined for other rules. */
  readonly target: RunTarget | undefined;
  /** The description of the rule. */
  readonly ruleText: string | undefined;
}

export function asksOf(
  proposals: readonly ShownProposal[],
  targets: ReadonlyMap<bigint, readonly RunTarget[]>,
  ruleTexts: ReadonlyMap<string, string>,
): Ask[] {
  const groups = Map.groupBy(proposals, ({ code, runId, rule, customerId }) =>
    agentOf(rule) === undefined ? `${runId} ${customerId} ${rule}` : code,
  );
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted(largestFirst);
    if (first === undefined) return [];
    const found = first.runId === undefined ? [] : (targets.get(first.runId) ?? []);
    const target = found.find(
      (row) => row.rule === first.rule && [row.customerId, ...row.members].includes(first.customerId),
    );
    return [{ proposals: [first, ...others] as const, target, ruleText: ruleTexts.get(first.rule) }];
  });
}

/** Codes are by chance, so an order by them would be none. */
function largestFirst(one: ShownProposal, other: ShownProposal): number {
  const sizeOf = ({ from, to }: ShownProposal) => (to > from ? to - from : from - to);
  return descending(sizeOf(one), sizeOf(other));
}

/** Whole plans only, because the sum of a plan counts all its lines. A longer plan shows its first lines. */
export function firstAsks(asks: readonly Ask[]): { readonly shown: readonly Ask[]; readonly lines: number } {
  const shown: Ask[] = [];
  let lines = 0;
  for (const ask of asks) {
    if (lines >= LINES_MAX) break;
    shown.push(ask);
    lines += Math.min(ask.proposals.length, LINES_MAX);
  }
  return { shown, lines };
}

/**
 * Why first, as a sentence. Then the amounts, and one form for all lines. The form leads to the page that confirms the act,
 * so it works without a script. The line of the log is under a fold.
 */
export function askCard({ proposals, target, ruleText }: Ask, path: string, role: Role, isFrozen: boolean): Html {
  const [first] = proposals;
  const { code, customerId, accountName, rule, reason, expiresAt } = first;
  const day = endingDay(first);
  const latest = instant(expiresAt);
  const isPlan = proposals.length > 1;
  const finding = (target && targetFinding(target)) ?? ruleText ?? reason;
  const shown = proposals.slice(0, LINES_MAX);
  const total = isPlan && totalOf(proposals);
  const mayDecide = may(role, 'approve');
  const lines = html`<ul class="asked">${shown.map((one) => html`<li id="proposal-${one.code}">${mayDecide && isPlan && choice(one)}<span class="name">${lineName(one, path)}</span>${lineAmounts(one)}${mayDecide && smallerStep(one)}</li>`)}</ul>${shown.length < proposals.length && html`<p class="note">The first ${shown.length} of ${countText(proposals.length)}.</p>`}`;
  return html`<article class="card ask" aria-labelledby="ask-${code}">
<div class="head">${badge([isPlan ? `${target ? 'Plan, ' : ''}${counted(proposals.length, 'budget')}` : 'Approval', 'acts'])}<span class="note">${account(customerId, accountName, path)} · ${makerLink(path, rule)}</span><span class="right">${day === undefined ? html`until ${latest}` : html`until the next day’s report, at the latest ${latest}`}</span></div>
<h3 class="find" id="ask-${code}">${aside(line(finding))}</h3>
${total && totalFigure(total)}
${mayDecide ? html`<form class="plan" action="${linkFrom(path, path)}">${lines}${decisions(proposals, isFrozen)}</form>` : lines}
<details><summary>How it was computed</summary><p class="log">${shown.map(({ reason: own }, index) => html`${index > 0 && html`<br>`}${aside(line(own))}`)}</p></details></article>
`;
}

function choice({ code, ...budget }: ShownProposal): Html {
  return html`<label class="choice"><input type="checkbox" name="on-${code}" checked><span class="quiet">Choose ${code}, ${named(budgetName(budget))}</span></label>`;
}

function smallerStep({ code, to, currency, ...budget }: ShownProposal): Html {
  const amount = formatDigits(to, currency).replaceAll(',', '');
  const label = `or a smaller step, ${currency}, for ${code}, ${budgetName(budget)}`;
  return html`<label class="step note">or a smaller step <input type="text" inputmode="decimal" name="to-${code}" value="${amount}" size="9" maxlength="20" autocomplete="off" aria-label="${label}"></label>`;
}

/** A freeze holds the approvals. */
function decisions([first, ...others]: Ask['proposals'], isFrozen: boolean): Html {
  const button = (act: string, words: Html | string, isFirst = false) =>
    html`<button type="submit" name="act" value="${act}"${isFirst && html` class="primary"`}${act !== 'reject' && isFrozen && ' disabled'}>${words}</button>`;
  const held = isFrozen && html`<small>${HELD}</small>`;
  if (others.length === 0) {
    const code = html`<span class="quiet"> ${first.code}</span>`;
    return html`<input type="hidden" name="on" value="${first.code}"><p class="ways">${button('approve', html`Approve${code}`, true)}${held}${button('reject', html`Reject${code}`)}</p>`;
  }
  const shown = Math.min(others.length + 1, LINES_MAX);
  const all = others.length < LINES_MAX ? `Approve all ${shown}` : `Approve these ${shown}`;
  return html`<p class="ways">${button(APPROVE_ALL, all, true)}${button('approve', 'Approve chosen')}${held}${button('reject', 'Reject chosen')}</p>`;
}

/** Such as "97.1% of 1,800 EUR for November 2026 is spent. As now, 1,926 EUR at its end." */
function targetFinding(row: RunTarget): string | undefined {
  const { target, spent, currency, dateFrom: from, dateTo: to } = row;
  const share = percentText(perMille(spent, target));
  const course = courseOf(row);
  if (share === undefined || course === undefined || from === undefined || to === undefined) return undefined;
  const period = isWholeMonth({ from, to }) ? monthText(from) : rangeText({ from, to });
  return `${share} of ${shortMoney(target, currency)} for ${period} is spent. As now, it ends at ${shortDigits(course.projected, currency)}.`;
}

/** The rule with a link, or the agent. */
function makerLink(here: string, rule: string): Html {
  const agent = agentOf(rule);
  return agent === undefined ? html`rule ${ruleLink(here, rule)}` : html`suggested by agent ${named(line(agent))}`;
}
