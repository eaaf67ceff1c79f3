import { InvariantError } from '../../domain/errors.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { type DayRow, heldToBudget, spentShare } from './campaign-demand.ts';
import { type Market, unitsOf, type VisitRow } from './market.ts';
import { hashOf } from './random.ts';
import type { SimulatedMarket } from './simulated-market.ts';

export function heldMarket(market: Market, seed: number): SimulatedMarket {
  const [account] = market.accounts;
  if (account === undefined) throw new InvariantError('The replayed market has no account.');
  const hashes = account.campaigns.map(({ id }) => hashOf(`${seed}|${id}`));
  const places = new Map(account.campaigns.map((campaign, place) => [campaign, place]));
  const campaignOf = unitsOf(account).map(({ campaign }) => places.get(campaign) ?? 0);
  const all = market.days(account, ANY_DAY);
  const from = all[0];
  const to = all.at(-1);
  if (from === undefined || to === undefined) throw new InvariantError('The replayed market has no days.');
  return {
    identity: market.identity,
    seed,
    simulatedCost: market.simulatedCost,
    account,
    days: { from, to },
    shocksWithin: () => [],
    spendDay(date, amountOf, visit) {
      const rows: WantedRow[][] = account.campaigns.map(() => []);
      market.visitDay(
        account,
        date,
        { today: date, elapsedShare: 1, amountOn: amountOf },
        (unitIndex, impressions, clicks, costMicros, wanted) => {
          const row = { unitIndex, impressions, wanted, clicks, clickCostMicros: perClick(costMicros, clicks) };
          rows[campaignOf[unitIndex] ?? 0]?.push({ row, clicks, costMicros });
        },
      );
      const day = hashOf(date);
      rows.forEach((own, place) => {
        const budget = account.campaigns[place]?.budget;
        // A float is exact enough, because the amount only limits simulated clicks and costs.
        const luck = spentShare(hashes[place] ?? 0, day);
        const held = budget ? heldCampaign(own, Number(amountOf(budget)) * luck) : own;
        for (const one of held) show(one, visit);
      });
    },
  };
}

interface WantedRow {
  readonly row: DayRow;
  readonly clicks: number;
  /** The cost in the file, or a simulated cost, possibly reduced by the budget. */
  readonly costMicros: number;
}

/** Any date works, because a replayed market has the same days on every date. */
const ANY_DAY = civilDate('2020-01-01');

function heldCampaign(rows: readonly WantedRow[], limitMicros: number): readonly WantedRow[] {
  const wanted = rows.reduce((sum, { costMicros }) => sum + costMicros, 0);
  if (wanted <= limitMicros) return rows;
  const kept = limitMicros / wanted;
  let left = limitMicros;
  const heldCosts = rows.map((one) => {
    if (one.clicks > 0) return one;
    const costMicros = Math.floor(one.costMicros * kept);
    left -= costMicros;
    const impressions = one.costMicros > 0 ? Math.round(one.row.impressions * kept) : one.row.impressions;
    return { ...one, costMicros, row: { ...one.row, impressions } };
  });
  const costly = heldCosts.flatMap(({ row }) => (row.clickCostMicros > 0 ? [row] : []));
  const held = heldToBudget(costly, left).values();
  return heldCosts.map((one) => (one.row.clickCostMicros > 0 ? { ...one, row: held.next().value ?? one.row } : one));
}

const perClick = (costMicros: number, clicks: number): number => (clicks === 0 ? 0 : Math.floor(costMicros / clicks));

function show({ row, clicks, costMicros }: WantedRow, visit: VisitRow): void {
  const cost = row.clicks === clicks ? costMicros : row.clicks * row.clickCostMicros;
  visit(row.unitIndex, row.impressions, row.clicks, cost, row.wanted);
}
