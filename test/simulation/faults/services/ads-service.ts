import { dayOf } from '../../account-calendar.ts';
import {
  datesBetween,
  EXCLUDED_ACCOUNT,
  EXCLUDED_MANAGER,
  MARKET,
  type MarketAccount,
  rowsOf,
  versionAt,
} from './market.ts';

/** An answer as the service gives it. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a change came to when it arrived. */
export interface CarriedChange {
  /** `customer/budget`. */
  readonly budget: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly atMs: number;
  /** Of the request. */
  readonly request: number;
}

/** Of a budget, by anybody. */
export interface AnyChange extends Pick<CarriedChange, 'budget' | 'from' | 'to' | 'atMs'> {
  /** By a person, at the service. */
  readonly byHand: boolean;
}

interface TokensGiven {
  readonly tokens: { readonly saidS: number; readonly trueS: number } | undefined;
}

const TOKEN = 'Bearer token-of-the-simulation';
export const CLIENT_SECRET = 'client-secret-of-the-simulation';
export const REFRESH_TOKEN = 'refresh-token-of-the-simulation';
const BATCH_ROWS = 3;
const CHANGES_KEPT_DAYS = 30;

/** The advertising interface of the simulation: what it says is the truth, and it does what it is asked at once. */
export class AdsService {
  /** `customer/budget` to micros. */
  readonly budgets = new Map<string, bigint>();
  readonly carried: CarriedChange[] = [];
  /** Everything that budgets really were changed by. */
  readonly history: AnyChange[] = [];
  /** Identifiers of accounts that are suspended now. */
  readonly suspended = new Set<string>();
  /** Budgets whose changes it refuses each by itself: when they are tried already, or only when they are to be made. */
  readonly refusing = new Map<string, 'tried' | 'made'>();
  /** What comes of asking for the tree of the excluded manager: it is there, the service is away, the login has lost it. */
  excludedTree: 'there' | 'away' | 'lost' = 'there';
  readonly #accounts: readonly MarketAccount[];
  readonly #tokens: TokensGiven['tokens'];
  readonly #tellsChanges: boolean;
  /** The end of each token that was given out. */
  readonly #given = new Map<string, number>();
  readonly #now: () => number;
  #requests = 0;

  /** `tokens`: what it gives out, for as many seconds as it says and as it means; one that never ends where there is none. */
  constructor(
    now: () => number,
    { tokens, excludes, tellsChanges }: TokensGiven & { readonly excludes: boolean; readonly tellsChanges: boolean },
  ) {
    this.#tellsChanges = tellsChanges;
    this.#accounts = excludes ? [...MARKET, EXCLUDED_ACCOUNT] : MARKET;
    this.#now = now;
    this.#tokens = tokens;
    for (const { id, campaigns } of this.#accounts) {
      for (const { budgetId } of campaigns) this.budgets.set(`${id}/${budgetId}`, 40_000_000n);
    }
  }

  /** A request that has arrived; `request` is its number for whoever asks later what it did, `lagMs` how old budgets may be. */
  answer(url: URL, headers: Readonly<Record<string, string>>, body: string, request: number, lagMs = 0): ServiceAnswer {
    const said = (value: unknown) => json(200, value, `r${++this.#requests}`);
    if (!this.#isKnown(headers.authorization ?? '')) return refusal(401, 'UNAUTHENTICATED', 'Who are you?');
    if (url.pathname.endsWith('customers:listAccessibleCustomers')) {
      return said({ resourceNames: this.#accounts.map(({ id }) => `customers/${id}`) });
    }
    const [, id, way] = /^\/v25\/customers\/(\d+)\/([\w:]+)$/.exec(url.pathname) ?? [];
    if (id === EXCLUDED_MANAGER) return this.#answerManager(said);
    const account = this.#accounts.find((one) => one.id === id);
    if (account === undefined) return refusal(404, 'NOT_FOUND', `There is no ${url.pathname}.`);
    if (this.suspended.has(account.id)) return NOT_ENABLED;
    const asked = JSON.parse(body) as Asked;
    if (way === 'googleAds:searchStream') {
      const rows = this.#rowsFor(account, asked.query ?? '', lagMs);
      return rows === undefined ? refusal(400, 'INVALID_ARGUMENT', 'What?') : said(batches(rows, this.#requests));
    }
    if (way === 'campaignBudgets:mutate') return said(this.#mutate(account, asked, request));
    return refusal(404, 'NOT_FOUND', `There is no ${url.pathname}.`);
  }

  /** The budgets as a reading shows them that lags so far behind our changes; what is set by hand shows at once. */
  seenBudgets(lagMs: number): ReadonlyMap<string, bigint> {
    const seen = new Map(this.budgets);
    for (const { budget, from, to, atMs } of this.carried.toReversed()) {
      if (atMs > this.#now() - lagMs && seen.get(budget) === to) seen.set(budget, from);
    }
    return seen;
  }

  /** One that is not below the excluded manager: what anybody else does there is nobody's business. */
  budgetOf(pick: number): string {
    const names = [...this.budgets.keys()].filter((name) => !name.startsWith(`${EXCLUDED_ACCOUNT.id}/`));
    return names[pick % names.length] ?? '';
  }

  /** What a person sets at the service. */
  setByHand(budget: string, to: bigint): void {
    this.#set(budget, to, true);
  }

  #set(budget: string, to: bigint, byHand: boolean): void {
    const from = this.budgets.get(budget) ?? 0n;
    this.budgets.set(budget, to);
    if (from !== to) this.history.push({ budget, from, to, atMs: this.#now(), byHand });
  }

  #answerManager(said: (value: unknown) => ServiceAnswer): ServiceAnswer {
    if (this.excludedTree === 'away') return refusal(503, 'UNAVAILABLE', 'Not now.');
    if (this.excludedTree === 'lost') return refusal(403, 'PERMISSION_DENIED', 'Not you.');
    const clients = [
      { id: EXCLUDED_MANAGER, level: '0', manager: true, status: 'ENABLED' },
      { id: EXCLUDED_ACCOUNT.id, level: '1', manager: false, status: 'ENABLED' },
    ];
    return said([{ results: clients.map((customerClient) => ({ customerClient })) }]);
  }

  /** From now on, one of its budgets; answers with which. */
  refuse(pick: number, when: 'tried' | 'made'): string {
    const budget = this.budgetOf(pick);
    this.refusing.set(budget, when);
    return budget;
  }

  /** A token for whoever has the right words. */
  issueToken(form: string): ServiceAnswer {
    const said = new URLSearchParams(form);
    const isRight = said.get('refresh_token') === REFRESH_TOKEN && said.get('client_secret') === CLIENT_SECRET;
    if (!isRight || this.#tokens === undefined) return refusal(401, 'UNAUTHENTICATED', 'Who are you?');
    const token = `given-token-${this.#given.size + 1}-of-the-simulation`;
    this.#given.set(token, this.#now() + this.#tokens.trueS * 1000);
    return json(200, { access_token: token, expires_in: this.#tokens.saidS, token_type: 'Bearer' }, 'token');
  }

  #isKnown(authorization: string): boolean {
    if (this.#tokens === undefined) return authorization === TOKEN;
    return this.#now() < (this.#given.get(authorization.replace(/^Bearer /, '')) ?? 0);
  }

  #mutate(account: MarketAccount, { operations = [], validateOnly = false }: Asked, request: number): unknown {
    const results: { resourceName?: string }[] = [];
    const errors: unknown[] = [];
    for (const [index, { update }] of operations.entries()) {
      const budget = /campaignBudgets\/(\d+)$/.exec(update.resourceName)?.[1];
      const key = `${account.id}/${budget}`;
      const before = this.budgets.get(key);
      const refuses = this.refusing.get(key);
      if (before === undefined || refuses === 'tried' || (refuses === 'made' && !validateOnly)) {
        results.push({});
        const location = { fieldPathElements: [{ fieldName: 'operations', index }] };
        errors.push({ message: 'Not this budget.', errorCode: { mutateError: 'RESOURCE_NOT_FOUND' }, location });
        continue;
      }
      results.push({ resourceName: update.resourceName });
      if (validateOnly) continue;
      const to = BigInt(update.amountMicros);
      this.#set(key, to, false);
      this.carried.push({ budget: key, from: before, to, atMs: this.#now(), request });
    }
    const partialFailureError = { code: 5, message: 'Some.', details: [{ errors }] };
    if (validateOnly) return errors.length === 0 ? {} : { partialFailureError };
    return errors.length === 0 ? { results } : { results, partialFailureError };
  }

  /** As the query asks: between two days of the account's calendar, oldest first; no farther back than the service keeps them. */
  #changesIn({ id, timeZone }: MarketAccount, query: string): unknown[] | undefined {
    const [, from = '', to = ''] =
      /change_date_time BETWEEN '([\d-]{10})[^']*' AND '([\d-]{10})[^']*' .* LIMIT \d+$/.exec(query) ?? [];
    const oldest = daysBefore(dayOf(this.#now(), timeZone), CHANGES_KEPT_DAYS);
    if (from < oldest || to < from) return undefined;
    const own = this.history.filter(({ budget, atMs }) => {
      const day = dayOf(atMs, timeZone);
      return budget.startsWith(`${id}/`) && day >= from && day <= to;
    });
    return own.map((one, index) => ({
      changeEvent: {
        resourceName: `customers/${id}/changeEvents/${one.atMs}~${index}`,
        changeDateTime: clockText(one.atMs, timeZone),
        changeResourceName: `customers/${id}/campaignBudgets/${one.budget.split('/')[1]}`,
        changeResourceType: 'CAMPAIGN_BUDGET',
        resourceChangeOperation: 'UPDATE',
        clientType: one.byHand ? 'GOOGLE_ADS_WEB_CLIENT' : 'GOOGLE_ADS_API',
        userEmail: one.byHand ? 'person@simulation.example' : 'api@simulation.example',
        oldResource: { campaignBudget: { amountMicros: `${one.from}` } },
        newResource: { campaignBudget: { amountMicros: `${one.to}` } },
      },
    }));
  }

  /** The queries of the simulation and no others; undefined for one that is none of them. */
  #rowsFor(account: MarketAccount, query: string, lagMs: number): unknown[] | undefined {
    const { id, name, currency, timeZone } = account;
    if (/ FROM customer_client$/.test(query)) {
      const client = { id, level: '0', manager: false, status: 'ENABLED' };
      return [{ customerClient: { ...client, descriptiveName: name, currencyCode: currency, timeZone } }];
    }
    if (/ FROM campaign$/.test(query)) {
      const amounts = this.seenBudgets(lagMs);
      return account.campaigns.map((campaign) => campaignRow(id, campaign, amounts));
    }
    if (/ FROM change_event /.test(query)) return this.#tellsChanges ? this.#changesIn(account, query) : undefined;
    const days =
      /FROM keyword_view\s+WHERE segments\.date (?:BETWEEN '([\d-]+)' AND '([\d-]+)'|DURING LAST_7_DAYS)/.exec(query);
    if (days === null) return undefined;
    const today = dayOf(this.#now(), timeZone);
    const [from, to] = days[1] && days[2] ? [days[1], days[2]] : [daysBefore(today, 7), daysBefore(today, 1)];
    return datesBetween(from, to).flatMap((date) =>
      rowsOf(account, date, versionAt(date, timeZone, this.#now())).map((row) => ({
        campaign: {
          resourceName: `customers/${id}/campaigns/${row.campaign.id}`,
          id: row.campaign.id,
          name: row.campaign.name,
        },
        adGroupCriterion: { criterionId: row.keyword },
        metrics: {
          ...(/metrics\.impressions/.test(query) ? { impressions: String(row.impressions) } : {}),
          clicks: String(row.clicks),
          costMicros: String(row.costMicros),
        },
        segments: { date },
      })),
    );
  }
}

/** As an account's clock shows it. */
function clockText(instantMs: number, timeZone: string): string {
  return `${new Date(instantMs).toLocaleString('sv-SE', { timeZone })}.000000`;
}

function campaignRow(
  customer: string,
  { id, name, budgetId }: MarketAccount['campaigns'][number],
  amounts: ReadonlyMap<string, bigint>,
): unknown {
  const budget = `customers/${customer}/campaignBudgets/${budgetId}`;
  return {
    campaign: { id, name, status: 'ENABLED', campaignBudget: budget },
    campaignBudget: {
      resourceName: budget,
      id: budgetId,
      status: 'ENABLED',
      amountMicros: `${amounts.get(`${customer}/${budgetId}`)}`,
    },
  };
}

interface Asked {
  readonly query?: string;
  readonly operations?: readonly {
    readonly update: { readonly resourceName: string; readonly amountMicros: string };
  }[];
  readonly validateOnly?: boolean;
}

function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);
}

function batches(rows: readonly unknown[], id: number): unknown[] {
  const parts: unknown[] = [];
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    parts.push({ results: rows.slice(at, at + BATCH_ROWS), requestId: `r${id}` });
  }
  return parts.length === 0 ? [{ requestId: `r${id}` }] : parts;
}

/** The service's error object. */
export function refusal(
  status: number,
  word: string,
  message: string,
  headers: Record<string, string> = {},
): ServiceAnswer {
  const { body } = json(status, { error: { code: status, status: word, message, details: [] } }, 'refused');
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function json(status: number, value: unknown, requestId: string): ServiceAnswer {
  const headers = { 'content-type': 'application/json', 'request-id': requestId };
  return { status, headers, body: JSON.stringify(value) };
}

const NOT_ENABLED = json(
  403,
  {
    error: {
      code: 403,
      status: 'PERMISSION_DENIED',
      message: 'No.',
      details: [
        {
          '@type': 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure',
          errors: [{ errorCode: { authorizationError: 'CUSTOMER_NOT_ENABLED' }, message: 'It is not enabled.' }],
        },
      ],
    },
  },
  'refused',
);
