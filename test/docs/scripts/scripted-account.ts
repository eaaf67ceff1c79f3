import type { CivilDate } from '../../../src/domain/civil-date.ts';
import { highestOf, type Micros, micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { QueryFile } from '../../../src/language/gaql/query-file.ts';
import { type DayTable, dayTable } from '../../../src/sandbox/ads/execute-query.ts';
import { SANDBOX_CATALOGUE } from '../../../src/sandbox/ads/fields.ts';
import { metricOf, type Sums } from '../../../src/sandbox/ads/metrics.ts';
import type { Account, Budget, Campaign, VisitRow } from '../../../src/sandbox/market/market.ts';
import { type SimulatedMarket, simulatedMarket } from '../../../src/sandbox/market/simulated-market.ts';

/** The numbers of a campaign, as the service reports them. */
export interface Numbers {
  readonly costMicros: bigint;
  readonly clicks: bigint;
  readonly conversions: number;
  readonly value: number;
  readonly eligible: number;
  readonly lostToBudget: number;
}

const NOTHING: Numbers = { costMicros: 0n, clicks: 0n, conversions: 0, value: 0, eligible: 0, lostToBudget: 0 };

/** An account on a simulated market of its own. Only a script changes its budgets. */
export class ScriptedAccount {
  readonly campaigns: readonly Campaign[];
  readonly account: Account;
  readonly #market: SimulatedMarket;
  readonly #table: DayTable;
  readonly #read = new Map<string, Numbers>();
  readonly #amounts: Map<Budget, Micros>;
  readonly #highest = new Map<string, Micros>();
  #visit: (visit: VisitRow) => void = () => undefined;

  constructor(seed: number, campaigns: number, query: QueryFile) {
    this.#market = simulatedMarket(seed, { kind: 'planned', campaigns }, true);
    this.account = this.#market.account;
    this.campaigns = this.account.campaigns.filter(({ status }) => status === 'ENABLED');
    this.#amounts = new Map(this.account.budgets.map((budget) => [budget, budget.baseAmount]));
    this.#table = dayTable({
      query,
      catalogue: SANDBOX_CATALOGUE,
      market: {
        identity: 'scripted',
        seed,
        simulatedCost: true,
        accounts: [this.account],
        days: () => [],
        visitDay: (_account, _date, _moment, visit) => this.#visit(visit),
      },
      account: this.account,
      moment: { today: civilDate('9999-12-31'), elapsedShare: 1, amountOn: (budget) => this.amountOf(budget) },
      budgetNow: (budget) => ({ amountNow: this.amountOf(budget), removed: false }),
      links: [],
      changes: [],
      resourceNames: false,
    });
  }

  amountOf(budget: Budget): Micros {
    return this.#amounts.get(budget) ?? budget.baseAmount;
  }

  setAmount(budget: Budget, amount: bigint): void {
    this.#amounts.set(budget, micros(amount));
  }

  /** The day is spent with the current amounts. `before` has the amounts until today's changes. */
  spend(day: CivilDate, before: ReadonlyMap<Budget, Micros> = new Map()): void {
    for (const budget of this.account.budgets) {
      const now = this.amountOf(budget);
      const earlier = before.get(budget) ?? now;
      this.#highest.set(`${day} ${budget.id}`, highestOf(earlier, now));
    }
    this.#visit = (visit) => this.#market.spendDay(day, (budget) => this.amountOf(budget), visit);
    for (const { entity, sums } of this.#table.rowsOn(day)) {
      const campaign = this.#table.entities[entity]?.campaign;
      if (campaign !== undefined) this.#read.set(`${day} ${campaign.id}`, numbersOf(sums));
    }
  }

  /** The highest amount of a past day. */
  highestOn(budget: Budget, day: CivilDate): bigint {
    return this.#highest.get(`${day} ${budget.id}`) ?? 0n;
  }

  on(day: CivilDate, campaign: Campaign): Numbers {
    return this.#read.get(`${day} ${campaign.id}`) ?? NOTHING;
  }
}

function numbersOf(sums: Sums): Numbers {
  const read = (field: string) => metricOf(`metrics.${field}`).read(sums) ?? 0;
  const share = read('search_impression_share');
  const eligible = share === 0 ? 0 : read('impressions') / share;
  return {
    costMicros: BigInt(read('cost_micros')),
    clicks: BigInt(read('clicks')),
    conversions: read('conversions'),
    value: read('conversions_value'),
    eligible,
    lostToBudget: eligible * read('search_budget_lost_impression_share'),
  };
}
