import type { BudgetSubject } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatDigits, type Micros } from '../../domain/micros.ts';
import { type Html, html } from '../../views/html/html.ts';
import { amountChange, budgetLink } from '../../views/html/parts.ts';
import { shareOfChange } from '../../views/report/month-words.ts';

export interface PlanLine extends BudgetSubject {
  readonly code: string;
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly from: Micros;
  readonly to: Micros;
}

export interface Total {
  readonly from: bigint;
  readonly to: bigint;
  readonly currency: string;
}

/** Undefined if the lines have several currencies. */
export function totalOf(lines: readonly PlanLine[]): Total | undefined {
  const currencies = new Set(lines.map((one) => one.currency));
  const [currency] = currencies;
  if (currency === undefined || currencies.size > 1) return undefined;
  const from = lines.reduce((sum, one) => sum + one.from, 0n);
  return { from, to: lines.reduce((sum, one) => sum + one.to, 0n), currency };
}

export function totalFigure({ from, to, currency }: Total): Html {
  return html`<dl class="figures"><div><dt>Together, a day</dt><dd class="amount"><s>${formatDigits(from, currency)} →</s> ${formatDigits(to, currency)} <small>${currency}, ${shareOfChange(to, from)}</small></dd></div></dl>`;
}

export function lineName(line: PlanLine, path: string): Html {
  return html`<strong>${budgetLink(path, line)}</strong> <span class="code muted">${line.code}</span>`;
}

export function lineAmounts({ from, to, currency }: PlanLine): Html {
  return html`<span class="effect">${amountChange(from, to, currency)} <small>a day, ${shareOfChange(to, from)}</small></span>`;
}
