import { pathOf } from '../../domain/pages.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { Column } from '../../storage/columns/column.ts';
import { type Html, html } from '../../views/html/html.ts';
import { named } from '../../views/html/table.ts';
import { costText, counted, countText, percentText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { calledCampaign } from '../../views/report/account-months.ts';
import { shareOfChange } from '../../views/report/month-words.ts';
import { descending, type Move, movers, moverWindows } from '../../views/report/movers.ts';
import { perClick, perMille } from '../../views/report/pace.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';

const SHOWN_MAX = 5;
const DETAILED_MAX = 8;

interface Moved extends Move {
  readonly account: AccountFacts;
  readonly currency: string | undefined;
  /** In tenths of a percent of the account's spend. */
  readonly contribution?: bigint | undefined;
  readonly whole?: string | undefined;
}

const CAMPAIGN: Column<Moved> = onPage.text('Campaign', ({ campaign }) => calledCampaign(campaign), {
  link: ({ account, campaign }) => pathOf('campaign', { customer: account.customerId, campaign: campaign.campaignId }),
});
const CHANGE: Column<Moved> = onPage.money('Change', 'change', {
  importance: 2,
  shown: ({ change, currency }) => `${change > 0n ? '+' : ''}${costText(change, currency)?.replace('-', '−')}`,
  note: ({ change, before }) => percentText(perMille(change, before.costMicros), true) ?? 'new',
});

const CONTRIBUTION_COLUMNS: readonly Column<Moved>[] = [
  { ...CAMPAIGN, note: ({ account }) => named(account.name ?? account.customerId) },
  CHANGE,
  onPage.number('Effect', 'contribution', {
    shown: ({ contribution }) => percentText(contribution, true),
    note: ({ whole }) => `all: ${whole}`,
  }),
];

const MOVER_COLUMNS: readonly Column<Moved>[] = [
  CAMPAIGN,
  onPage.money('Spend before', ({ before }) => before.costMicros, { rounded: true }),
  onPage.money('Spend now', ({ now }) => now.costMicros, { rounded: true }),
  CHANGE,
  onPage.number('Clicks', undefined, {
    shown: ({ before, now }) => fromTo(countText(before.clicks), countText(now.clicks)),
  }),
  onPage.number('Cost per click', undefined, {
    shown: ({ before, now, currency }) =>
      fromTo(costText(perClick(before), currency), costText(perClick(now), currency)),
  }),
];

/** Sorted by share, because shares are comparable across currencies. */
/** `here` is the path of a page of the dashboard. */
export function moversSection(
  { accounts }: ReportFacts,
  months: readonly AccountMonth[],
  here: string | undefined,
): Html {
  const monthOf = new Map(months.map((month) => [month.customerId, month]));
  const moves = accounts.flatMap((account) => {
    const windows = account.campaigns && moverWindows(account.days);
    const { week, weekBefore } = monthOf.get(account.customerId) ?? {};
    return (windows ? movers(account.campaigns ?? [], windows) : []).map((move) => ({
      ...move,
      account,
      currency: account.currency,
      contribution: perMille(move.change, weekBefore),
      whole: shareOfChange(week, weekBefore),
    }));
  });
  const size = ({ contribution = 0n }: Moved) => (contribution < 0n ? -contribution : contribution);
  const sorted = moves.toSorted((one, other) => descending(size(one), size(other)));
  const rest = sorted.length - SHOWN_MAX;
  return html`<section data-section="movers" aria-labelledby="movers">
<h2 id="movers">Moved most</h2>
<p class="note">Spend of the last seven complete days against the seven before.</p>
${htmlTable(sheetOf(CONTRIBUTION_COLUMNS, sorted.slice(0, SHOWN_MAX), 'people'), {
  caption: 'Campaigns with most effect',
  path: here,
  none: 'the last 14 days are not all complete, or no spend changed.',
})}${rest > 0 && html`<p class="note">${counted(rest, 'more campaign')} below, by account.</p>\n`}</section>
`;
}

export function moversTable(account: AccountFacts, here: string | undefined): Html {
  const { campaigns = [], currency } = account;
  const windows = moverWindows(account.days);
  if (windows === undefined) {
    return html`<h4>Movers</h4>\n<p class="none">The last 14 days are not all complete, so weeks are not compared.</p>\n`;
  }
  const moved = movers(campaigns, windows).slice(0, DETAILED_MAX);
  const rows = moved.map((move) => ({ ...move, account, currency }));
  return html`<h4>Movers</h4>
${htmlTable(sheetOf(MOVER_COLUMNS, rows, 'people'), {
  caption: `${windows.now.from} to ${windows.now.to} against the seven days before`,
  path: here,
  none: 'no campaign’s spend changed.',
})}`;
}

function fromTo(before: string | undefined, now: string | undefined): string {
  return `${before ?? '–'} → ${now ?? '–'}`;
}
