import { isWholeMonth } from '../../domain/civil-date.ts';
import { formatDigits } from '../../domain/micros.ts';
import type { Role } from '../../domain/role.ts';
import type { ShownProposal } from '../../storage/columns/budget-columns.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, amountChange, badge, budgetLink, instant, line, ruleLink } from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import { counted, countText, monthText, percentText, rangeText } from '../../views/html/wording.ts';
import { endingDay } from '../../views/report/decision-words.ts';
import { shareOfChange, shortDigits, shortMoney } from '../../views/report/month-words.ts';
import { perMille } from '../../views/report/pace.ts';
import { courseOf } from '../../views/report/shared-targets.ts';
import { actLink } from './act-page.ts';

/** Proposals of one rule, run and account, which a person weighs together. */
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
  const groups = Map.groupBy(proposals, ({ runId, rule, customerId }) => `${runId} ${customerId} ${rule}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const found = first.runId === undefined ? [] : (targets.get(first.runId) ?? []);
    const target = found.find(
      (row) => row.rule === first.rule && [row.customerId, ...row.members].includes(first.customerId),
    );
    return [{ proposals: [first, ...others] as const, target, ruleText: ruleTexts.get(first.rule) }];
  });
}

/** A person cannot decide more at once, and the page stays small. */
const LINES_MAX = 50;

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

/** Why first, as a sentence. Then the amounts, and beside each budget the acts. The line of the log is under a fold. */
export function askCard({ proposals, target, ruleText }: Ask, path: string, role: Role, isFrozen: boolean): Html {
  const [first] = proposals;
  const { code, customerId, accountName, rule, reason, expiresAt } = first;
  const day = endingDay(first);
  const latest = instant(expiresAt);
  const isPlan = proposals.length > 1;
  const finding = (target && targetFinding(target)) ?? ruleText ?? reason;
  const shown = proposals.slice(0, LINES_MAX);
  return html`<article class="card ask" aria-labelledby="ask-${code}">
<div class="head">${badge([isPlan ? `${target ? 'Plan, ' : ''}${counted(proposals.length, 'budget')}` : 'Approval', 'acts'])}<span class="note">${account(customerId, accountName, path)} · rule ${ruleLink(path, rule)}</span><span class="right">${day === undefined ? html`until ${latest}` : html`until the next day’s report, at the latest ${latest}`}</span></div>
<h3 class="find" id="ask-${code}">${aside(line(finding))}</h3>
${isPlan && totalOf(proposals)}
<ul class="asked">${shown.map((one) => askedLine(one, path, role, isFrozen))}</ul>${shown.length < proposals.length && html`<p class="note">The first ${shown.length} of ${countText(proposals.length)}.</p>`}
<details><summary>How it was computed</summary><p class="log">${shown.map(({ reason: own }, index) => html`${index > 0 && html`<br>`}${aside(line(own))}`)}</p></details></article>
`;
}

function totalOf(proposals: Ask['proposals']): Html {
  const [{ currency }] = proposals;
  const from = proposals.reduce((sum, one) => sum + one.from, 0n);
  const to = proposals.reduce((sum, one) => sum + one.to, 0n);
  return html`<dl class="figures"><div><dt>Together, a day</dt><dd class="amount"><s>${formatDigits(from, currency)} →</s> ${formatDigits(to, currency)} <small>${currency}, ${shareOfChange(to, from)}</small></dd></div></dl>`;
}

function askedLine(proposal: ShownProposal, path: string, role: Role, isFrozen: boolean): Html {
  const { code, from, to, currency } = proposal;
  return html`<li id="proposal-${code}"><span class="name"><strong>${budgetLink(path, proposal)}</strong> <span class="code muted">${code}</span></span>
<span class="effect">${amountChange(from, to, currency)} <small>a day, ${shareOfChange(to, from)}</small></span>
<span class="ways">${actLink(role, { act: 'approve', on: code }, isFrozen)}${actLink(role, { act: 'reject', on: code })}</span></li>`;
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
