import type { AccountMonth } from '../../language/results/account-month.ts';
import { type Html, html } from '../../views/html/html.ts';
import { type Cell, named, numbers, table, words } from '../../views/html/table.ts';
import { costText, counted, countText, percentText } from '../../views/html/wording.ts';
import { calledCampaign } from '../../views/report/account-months.ts';
import { shareOfChange } from '../../views/report/month-words.ts';
import { descending, movers, moverWindows, type Windows } from '../../views/report/movers.ts';
import { perClick, perMille } from '../../views/report/pace.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';

const SHOWN_MAX = 6;

/** Sorted by share, because shares are comparable across currencies. */
export function moversSection({ accounts }: ReportFacts, months: readonly AccountMonth[]): Html {
  const monthOf = new Map(months.map((month) => [month.customerId, month]));
  const moves = accounts.flatMap((account) => {
    const windows = account.campaigns && moverWindows(account.days);
    const { week, weekBefore } = monthOf.get(account.customerId) ?? {};
    return (windows ? movers(account.campaigns ?? [], windows) : []).map((move) => ({
      move,
      account,
      contribution: perMille(move.change, weekBefore) ?? 0n,
      whole: shareOfChange(week, weekBefore),
    }));
  });
  const size = (value: bigint) => (value < 0n ? -value : value);
  const sorted = moves.toSorted((one, other) => descending(size(one.contribution), size(other.contribution)));
  const rest = sorted.length - SHOWN_MAX;
  return html`<section data-section="movers" aria-labelledby="movers">
<h2 id="movers">Movers</h2>
<p>Last seven complete days against the seven before.</p>
${table({
  caption: 'Campaigns by contribution',
  columns: [...words('Campaign'), ...numbers('Change', 'Contribution')],
  rows: sorted
    .slice(0, SHOWN_MAX)
    .map(({ move: { campaign, before, change }, account, contribution, whole }): Cell[] => [
      html`${named(calledCampaign(campaign))}<br><span class="note">${named(account.name ?? account.customerId)}</span>`,
      changeOf(change, before.costMicros, account.currency),
      html`${percentText(contribution, true)}<br><span class="note">of ${whole}</span>`,
    ]),
  none: 'the last 14 days are not all complete, or no spend changed.',
})}${rest > 0 && html`<p class="note">${counted(rest, 'more campaign')} below, by account.</p>\n`}</section>
`;
}

function changeOf(change: bigint, before: bigint | undefined, currency: string | undefined): Html {
  const share = percentText(perMille(change, before), true) ?? 'new';
  const amount = costText(change, currency)?.replace('-', '−');
  return html`${change > 0n && '+'}${amount}<br><span class="note">${share}</span>`;
}

const DETAILED_MAX = 8;

export function moversTable(account: AccountFacts, windows: Windows | undefined = moverWindows(account.days)): Html {
  const { campaigns = [], currency } = account;
  if (windows === undefined) {
    return html`<h4>Movers</h4>\n<p class="none">The last 14 days are not all complete, so weeks are not compared.</p>\n`;
  }
  return html`<h4>Movers</h4>
${table({
  caption: `${windows.now.from} to ${windows.now.to} against the seven days before`,
  columns: [...words('Campaign'), ...numbers('Spend before', 'Spend now', 'Change', 'Clicks', 'Cost per click')],
  rows: movers(campaigns, windows)
    .slice(0, DETAILED_MAX)
    .map(({ campaign, now, before, change }) => [
      named(calledCampaign(campaign)),
      costText(before.costMicros, currency),
      costText(now.costMicros, currency),
      changeOf(change, before.costMicros, currency),
      fromTo(countText(before.clicks), countText(now.clicks)),
      fromTo(costText(perClick(before), currency), costText(perClick(now), currency)),
    ]),
  none: 'no campaign’s spend changed.',
})}`;
}

function fromTo(before: string | undefined, now: string | undefined): string {
  return `${before ?? '–'} → ${now ?? '–'}`;
}
