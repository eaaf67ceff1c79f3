import { agentOf, type BudgetSubject, subjectOf } from '../../domain/budget-change.ts';
import { minuteText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { linkFrom, pathOf } from '../../domain/pages.ts';
import type { StateWord } from '../../storage/columns/state-words.ts';
import { oneLine } from '../text/text-layout.ts';
import { type Html, html } from './html.ts';
import { named } from './table.ts';

/** In UTC, to the minute. */
export function instant(text: string | undefined): Html {
  if (text === undefined) return html`–`;
  return html`<time datetime="${text}">${minuteText(text)}</time>`;
}

export function line(text: string | undefined): string {
  return text === undefined ? '' : oneLine(text);
}

/** With `here`, the path of the page, a link to the account's page. */
export function account(id: CustomerId, name: string | undefined, here?: string): Html {
  const words = name === undefined || name === id ? html`${id}` : html`${named(line(name))} <small>${id}</small>`;
  if (here === undefined) return words;
  return html`<a href="${linkFrom(here, pathOf('account', { customer: id }))}">${words}</a>`;
}

/** `here` is the path of the page. The name leads to the budget, and a word beside it to the campaign. */
export function budgetLink(here: string, budget: BudgetSubject & { readonly customerId: CustomerId }): Html {
  const href = linkFrom(here, pathOf('budget', { customer: budget.customerId, budget: budget.budgetId }));
  const campaign = campaignLink(budget, here);
  return html`<a href="${href}">${named(budgetName(budget))}</a>${campaign && html` <small>${campaign}</small>`}`;
}

/** For a line about the budget of one campaign. Undefined on its own page, and if several campaigns share the budget. */
export function campaignLink(
  {
    customerId: customer,
    campaignId: campaign,
  }: Partial<Pick<BudgetSubject, 'campaignId'>> & {
    readonly customerId: CustomerId;
  },
  here: string | undefined,
): Html | undefined {
  if (here === undefined || campaign === undefined) return undefined;
  const page = pathOf('campaign', { customer, campaign });
  return page === here ? undefined : html`<a href="${linkFrom(here, page)}">campaign</a>`;
}

/** `here` is the path of the page. An agent has no page. */
export function ruleLink(here: string, rule: string): Html {
  if (agentOf(rule) !== undefined) return named(line(rule));
  return html`<a href="${linkFrom(here, pathOf('rule', { name: rule }))}">${named(line(rule))}</a>`;
}

export function budgetName(budget: BudgetSubject): string {
  return subjectOf(budget, 'short', line);
}

export function amountChange(from: bigint, to: bigint, currency: string | undefined): Html {
  return html`<span class="amount">${formatMoney(from, currency)} → <strong>${formatMoney(to, currency)}</strong></span>`;
}

export function badge([word, tone]: StateWord | readonly [string, 'acts']): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

export function section(title: string, body: Html | undefined | false): Html | undefined {
  return body ? html`<section><h2>${title}</h2>${body}</section>` : undefined;
}

/** Says that something is missing, and how it comes. */
export function emptyState(missing: string, next?: Html | string): Html {
  return html`<div class="card empty-state"><strong>${missing}</strong>${next}</div>\n`;
}

/** The figures of an object, side by side. A figure without a value is left out. */
export function figures(
  entries: readonly {
    readonly label: string;
    readonly value: Html | string | undefined;
    readonly note?: Html | string | undefined;
  }[],
): Html {
  const shown = entries.filter(({ value }) => value !== undefined);
  return html`<dl class="figures card">${shown.map(({ label, value, note }) => html`<div><dt>${label}</dt><dd>${value}</dd>${note && html`<dd class="change">${note}</dd>`}</div>`)}</dl>\n`;
}

/** A part that is closed at first. */
export function fold(
  { id, title, name }: { readonly id: string; readonly title: string; readonly name?: string },
  body: Html,
): Html {
  return html`<section class="fold"${name !== undefined && html` data-section="${name}"`} aria-labelledby="${id}">
<details><summary><h2 id="${id}">${title}</h2></summary>
${body}</details>
</section>
`;
}

export function facts(entries: readonly (readonly [name: string, value: Html | string | undefined])[]): Html {
  const shown = entries.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts short">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}
