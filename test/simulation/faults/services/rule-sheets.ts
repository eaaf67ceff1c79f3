/** A rule of the simulation as it is meant: the file is written from this, and what became of it is judged by this. */
export interface RuleSheet {
  readonly name: string;
  readonly description: string;
  /** How many complete days it looks at. */
  readonly days: number;
  readonly clicksMin: number;
  /** What a click costs, in micros: more than that, or less. */
  readonly click?: { readonly is: '>' | '<'; readonly micros: bigint };
  /** Only accounts in this currency. */
  readonly currency?: 'EUR' | 'USD';
  /** By how much the budget is to change; undefined for a rule that only tells. Shares are percentages, amounts micros. */
  readonly change?: {
    readonly percent: bigint;
    readonly mode: 'apply' | 'approve';
    readonly floor?: bigint;
    readonly ceiling?: bigint;
    readonly step?: bigint;
    readonly drift?: bigint;
    /** So many days after the last change by anyone. */
    readonly cooldown?: number;
  };
  readonly alert?: { readonly severity: 'info' | 'critical'; readonly text: string };
}

const UNIT = 1_000_000n;

/** The one that a story may have in place of all others: it would change every budget every day, were it not for its cooldown. */
export const SLOW_RULE: RuleSheet = {
  name: 'slow',
  description: 'Cut everything, now and then.',
  days: 1,
  clicksMin: 1,
  change: { percent: -10n, mode: 'apply', step: 20n, drift: 60n, cooldown: 2 },
};

/** The same, every day. */
export const DAILY_RULE: RuleSheet = {
  name: 'daily',
  description: 'Cut everything, every day.',
  days: 1,
  clicksMin: 1,
  change: { percent: -5n, mode: 'apply', step: 20n, drift: 70n },
};

/** Each fires on much of the market, on one day or another, and each limit holds one of them back before long. */
export const RULE_SHEETS: readonly RuleSheet[] = [
  {
    name: 'trim',
    description: 'Cut what is dear.',
    days: 2,
    clicksMin: 1,
    currency: 'EUR',
    click: { is: '>', micros: UNIT },
    change: { percent: -40n, mode: 'apply', floor: 10n * UNIT, ceiling: 90n * UNIT, step: 15n, drift: 30n },
    alert: { severity: 'info', text: '{campaign_name}: {cost / clicks} a click' },
  },
  {
    name: 'raise',
    description: 'Feed what is cheap.',
    days: 2,
    clicksMin: 1,
    currency: 'EUR',
    click: { is: '<', micros: (3n * UNIT) / 2n },
    change: { percent: 10n, mode: 'apply', floor: 10n * UNIT, ceiling: 46n * UNIT, step: 20n, drift: 60n },
  },
  {
    name: 'ask',
    description: 'Ask before anything is done.',
    days: 1,
    clicksMin: 3,
    currency: 'USD',
    change: { percent: -10n, mode: 'approve', floor: 33n * UNIT },
  },
  {
    name: 'busy',
    description: 'Tell what is busy.',
    days: 1,
    clicksMin: 30,
    alert: { severity: 'critical', text: '{campaign_name} is busy: {clicks}' },
  },
  SLOW_RULE,
  DAILY_RULE,
];

const amount = (micros: bigint) => (Number(micros) / 1_000_000).toFixed(2);

/** The file of the rule. */
export function fileOf({ description, days, clicksMin, click, currency, change, alert }: RuleSheet): string {
  const price = click === undefined ? '' : ` AND cost / clicks ${click.is} ${amount(click.micros)}`;
  const lines = ['from: stats', 'for: campaign', `description: ${description}`];
  lines.push(`over: ${days} day${days === 1 ? '' : 's'}`, `when: clicks >= ${clicksMin}${price}`);
  if (currency) lines.push(`currency: ${currency}`);
  if (change) {
    const { percent, mode, floor, ceiling, step, drift, cooldown } = change;
    const limits = floor ? [`floor: ${amount(floor)}`] : [];
    if (ceiling) limits.push(`ceiling: ${amount(ceiling)}`);
    if (step) limits.push(`step: ${step}%`);
    if (drift) limits.push(`drift: ${drift}% over 30 days`);
    if (cooldown) limits.push(`cooldown: ${cooldown} days`);
    lines.push(`change: ${percent < 0n ? 'decrease' : 'increase'} budget by ${percent < 0n ? -percent : percent}%`);
    lines.push(`limits: { ${limits.join(', ')} }`, `mode: ${mode}`);
  }
  if (alert) lines.push(`alert: { severity: ${alert.severity}, text: "${alert.text}" }`);
  return `${lines.join('\n')}\n`;
}

/** The amounts that the rule may set a budget to: one for each amount that its drift may be counted from. Empty where it may set none. */
export function allowedAmounts({ change }: RuleSheet, from: bigint, bases: Iterable<bigint>): bigint[] {
  if (change === undefined) return [];
  const { percent, floor = 0n, ceiling, step, drift } = change;
  // A hundredth of a unit is the smallest amount in both currencies; what is in between is cut towards the amount now.
  const cut = (hundredths: bigint) => {
    const whole = hundredths / 1_000_000n;
    const rest = hundredths % 1_000_000n;
    return (percent < 0n && rest > 0n ? whole + 1n : whole) * 10_000n;
  };
  const share = (of: bigint, percents: bigint) => of * percents;
  const isDown = percent < 0n;
  const nearer = (one: bigint, other: bigint) => (isDown === one > other ? one : other);
  const amounts = new Set<bigint>();
  for (const base of drift === undefined ? [from] : bases) {
    let to = share(from, 100n + percent);
    const sign = isDown ? -1n : 1n;
    if (step !== undefined) to = nearer(to, share(from, 100n + sign * step));
    if (drift !== undefined) to = nearer(to, share(base, 100n + sign * drift));
    to = isDown ? nearer(to, floor * 100n) : nearer(to, ceiling === undefined ? to : ceiling * 100n);
    const rounded = cut(to);
    const moves = isDown ? rounded < from : rounded > from;
    const isWithin = rounded >= floor && (ceiling === undefined || rounded <= ceiling);
    if (moves && isWithin) amounts.add(rounded);
  }
  return [...amounts];
}
