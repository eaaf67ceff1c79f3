import { dayOf } from '../../account-calendar.ts';
import { MARKET, type MarketAccount, type MarketCampaign } from '../services/market.ts';
import { PLAN_SHEET } from '../services/plan-sheet.ts';
import { allowedAmounts, RULE_SHEETS, type RuleSheet } from '../services/rule-sheets.ts';
import type { FaultWorld, ProcessEnd } from '../world.ts';
import { driftBases } from './budget-watch.ts';
import { dateBefore, daysFrom, newestSettled } from './check-complete.ts';

/**
 * What a report that ended well has left undecided or decided otherwise than the rules say, by the days as they are stored (which
 * `checkTables` compares with the service): an intent or a proposal for each budget that a rule would change and that
 * nothing protects, with the amount that the rule's limits leave; and a condition for each campaign that is to be told of.
 */
export function checkDecisions(world: FaultWorld, ends: readonly ProcessEnd[]): string[] {
  const [end] = ends;
  // What runs beside may act in between.
  if (end === undefined || ends.length > 1 || end.job !== 'report' || end.how !== 'done' || end.stopped) return [];
  if (end.runId === undefined || world.isFrozen()) return [];
  return MARKET.flatMap((account) => inAccount(world, end, end.runId ?? 0n, account));
}

function inAccount(world: FaultWorld, { process }: ProcessEnd, runId: bigint, account: MarketAccount): string[] {
  const { id, timeZone, currency, campaigns } = account;
  const { beganAtMs } = process;
  const nowMs = world.timeline.now();
  const isAway = world.ads.suspended.has(id) || (world.suspendedAtMs.get(id) ?? 0) >= beganAtMs;
  const today = dayOf(nowMs, timeZone);
  const newest = newestSettled(world, timeZone, nowMs);
  // Around midnight and the hour at which days are closed it depends on the second.
  const isClear = dayOf(beganAtMs, timeZone) === today && newest === newestSettled(world, timeZone, beganAtMs);
  if (isAway || !isClear || newest === undefined) return [];
  const sheets = RULE_SHEETS.filter((one) => world.rules.includes(one.name)).filter(
    (one) => one.currency === undefined || one.currency === currency,
  );
  const firing = (sheet: RuleSheet) => campaigns.filter((one) => isTrue(world, sheet, id, one, newest));
  const wrong = conditionsIn(world, id, sheets, firing);
  for (const budget of new Set(campaigns.map(({ budgetId }) => budgetId))) {
    const requests = sheets
      .filter(({ change }) => change !== undefined)
      .filter((sheet) => firing(sheet).some(({ budgetId }) => budgetId === budget))
      .sort((one, other) => orderOf(one).localeCompare(orderOf(other)));
    wrong.push(...budgetIn(world, runId, { customer: id, budget, today }, requests));
  }
  return wrong;
}

/** A decrease before an increase, then by name. */
const orderOf = ({ name, change }: RuleSheet) => `${change && change.percent < 0n ? 0 : 1} ${name}`;

function isTrue(
  world: FaultWorld,
  sheet: RuleSheet,
  customer: string,
  campaign: MarketCampaign,
  newest: string,
): boolean {
  const { days, clicksMin, click } = sheet;
  const [sums] = world.rows<{ clicks: bigint | null; cost: bigint | null }>(
    `SELECT CAST(sum(clicks) AS bigint) AS clicks, CAST(sum(cost_micros) AS bigint) AS cost FROM stats WHERE customer_id = ? AND campaign_id = ? AND date BETWEEN ? AND ?`,
    BigInt(customer),
    BigInt(campaign.id),
    dateBefore(newest, days - 1),
    newest,
  );
  const { clicks, cost } = sums ?? {};
  if (clicks === null || clicks === undefined || cost === null || cost === undefined || clicks < clicksMin)
    return false;
  if (click === undefined) return true;
  const is = cost;
  const than = clicks * click.micros;
  return click.is === '>' ? is > than : is < than;
}

interface Place {
  readonly customer: string;
  readonly budget: string;
  readonly today: string;
}

interface Made {
  readonly what: string;
  readonly rule: string;
  readonly from_micros: bigint;
  readonly to_micros: bigint;
}

function budgetIn(world: FaultWorld, runId: bigint, place: Place, requests: readonly RuleSheet[]): string[] {
  const { customer, budget } = place;
  const name = `${customer}/${budget}`;
  const bases = driftBases(world, name);
  const columns = 'rule, from_micros, to_micros';
  const of = 'WHERE customer_id = ? AND budget_id = ? AND run_id = ?';
  const made = world.rows<Made>(
    `SELECT 'intent ' || id AS what, ${columns} FROM budget_intent ${of} AND kind = 'rule' AND actor LIKE 'rule %'
      UNION ALL SELECT 'proposal ' || code, ${columns} FROM budget_proposal ${of}`,
    BigInt(customer),
    BigInt(budget),
    runId,
    BigInt(customer),
    BigInt(budget),
    runId,
  );
  // `budget-watch.ts` checks those of a target.
  const ofRules = made.filter(({ rule }) => rule !== PLAN_SHEET.name);
  const wrong = ofRules.flatMap(({ what, rule, from_micros: from, to_micros: to }) => {
    // The first request that its limits let through is the one; each base of the drift may let through another.
    const right = requests.some(
      (request) => request.name === rule && allowedAmounts(request, from, bases).includes(to),
    );
    const first = requests.find((request) => allowedAmounts(request, from, bases).length > 0)?.name;
    return right && (first === rule || bases.size > 1)
      ? []
      : [`${what} of ${rule} sets ${name} from ${from} to ${to}, and ${first ?? 'no rule'} would change it`];
  });
  const cooldown = Math.max(...requests.map(({ change }) => change?.cooldown ?? 0), 0);
  if (made.length > 0 || isProtected(world, place, cooldown)) return wrong;
  const amount = world.ads.budgets.get(name) ?? 0n;
  // Where nothing but the program has set it the amounts are certain; else it takes a request that holds from wherever drift is counted.
  const sure = requests.find((request) =>
    [...bases].every((base) => allowedAmounts(request, amount, [base]).length > 0),
  );
  return sure === undefined
    ? wrong
    : [...wrong, `${sure.name} is true for ${name} at ${amount}, and nothing was decided`];
}

/** What keeps rules from a budget for the day, or until a cooldown is over: each is in the record, and each has its own reason. */
function isProtected(world: FaultWorld, { customer, budget, today }: Place, cooldown: number): boolean {
  const own = [BigInt(customer), BigInt(budget)];
  const timeZone = MARKET.find(({ id }) => id === customer)?.timeZone ?? 'UTC';
  const dayAt = (instant: string) => dayOf(Date.parse(instant), timeZone);
  const isToday = (instant: string) => dayAt(instant) === today;
  const isCooling = (day: string) => daysFrom(day, today) < cooldown;
  const intents = world.rows<{ account_day: string; state: string; updated_at: string; kind: string; sent: bigint }>(
    `SELECT account_day, state, updated_at, kind,
      (SELECT count(*) FROM budget_event WHERE intent_id = budget_intent.id AND kind = 'sending') AS sent
    FROM budget_intent WHERE customer_id = ? AND budget_id = ?`,
    ...own,
  );
  const proposals = world.rows<{ state: string; decided_at: string | null }>(
    "SELECT state, decided_at FROM budget_proposal WHERE customer_id = ? AND budget_id = ? AND state IN ('open', 'rejected')",
    ...own,
  );
  const foreign = world.rows<{ account_day: string }>(
    'SELECT account_day FROM foreign_change WHERE customer_id = ? AND budget_id = ?',
    ...own,
  );
  // Only what somebody did: a program that calls its own changes somebody's would never change anything.
  const isForeign =
    foreign.some(({ account_day }) => account_day === today || isCooling(account_day)) &&
    isTouched(world, `${customer}/${budget}`);
  const inDoubt = world.rows<{ seen_at: string }>(
    'SELECT seen_at FROM suspected_change WHERE customer_id = ? AND budget_id = ?',
    ...own,
  );
  const isOpen = ({ state }: { readonly state: string }) =>
    ['planned', 'validated', 'sending', 'unknown'].includes(state);
  return (
    isForeign ||
    inDoubt.length > 0 ||
    intents
      .filter(({ state }) => state !== 'expired')
      .some((one) => one.account_day === today || isOpen(one) || (one.kind === 'undo' && isToday(one.updated_at))) ||
    // A refused change counts, too, until a reading shows that it was not made.
    intents.some(({ account_day, sent }) => sent > 0n && isCooling(account_day)) ||
    proposals.some(
      ({ state, decided_at }) =>
        state === 'open' || (decided_at !== null && (isToday(decided_at) || isCooling(dayAt(decided_at)))),
    )
  );
}

const isTouched = (world: FaultWorld, name: string) =>
  world.foreign.some(({ budget }) => budget === name) || driftBases(world, name).size > 1;

/** Of the rules that tell: exactly what is true is a condition. */
function conditionsIn(
  world: FaultWorld,
  customer: string,
  sheets: readonly RuleSheet[],
  firing: (sheet: RuleSheet) => readonly MarketCampaign[],
): string[] {
  const kept = world.rows<{ rule: string; text: string }>(
    "SELECT rule, text FROM alert WHERE kind = 'condition' AND state = 'firing' AND customer_id = ?",
    BigInt(customer),
  );
  const wanted = sheets
    .filter(({ alert }) => alert !== undefined)
    .flatMap((sheet) => firing(sheet).map(({ name }) => ({ rule: sheet.name, name })));
  const isSame = (one: (typeof wanted)[number], { rule, text }: (typeof kept)[number]) =>
    one.rule === rule && text.startsWith(one.name);
  return [
    ...wanted
      .filter((one) => kept.filter((row) => isSame(one, row)).length !== 1)
      .map(
        ({ rule, name }) => `${rule} is true for ${name} of ${customer}, and there is not one condition that says so`,
      ),
    ...kept
      .filter((row) => !wanted.some((one) => isSame(one, row)))
      .map(({ rule, text }) => `${rule} says of ${customer} "${text}", and it is not true`),
  ];
}
