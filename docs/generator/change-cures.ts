import type { RefusalCode } from '../../src/rules/decide/refusal.ts';

/** What a code means, and what a person does about it. */
export type Cure = readonly [meaning: string, cure: string];

/** Why a guard refused a change that a rule requested for. */
export const GUARD_CURES: Readonly<Record<RefusalCode, Cure>> = {
  FROZEN: [
    'The kill switch is on.',
    '`pacekeeper freeze` or the file `FREEZE` did it; `pacekeeper unfreeze --why …` lifts both.',
  ],
  BUDGET_NOT_KNOWN: [
    'The amount of the budget is not known.',
    'Where the interface shows no budgets, declare it: `budgets.<customer_id>.<budget_id>` in `pacekeeper.yaml`.',
  ],
  BUDGET_REMOVED: [
    'The service says that the budget no longer exists.',
    'Nothing: the campaign has another budget, or none.',
  ],
  CURRENCY_NOT_KNOWN: [
    "The account's currency, or its smallest unit, is not known.",
    'Set `accounts.<customer_id>.currency` to a code of ISO 4217.',
  ],
  OUTCOME_OPEN: [
    'An earlier change of the budget has no known outcome.',
    '`pacekeeper budgets reconcile` finds out at once, the next report does by itself.',
  ],
  AMOUNT_IN_DOUBT: [
    'The budget shows another amount than pacekeeper last set. The service may still show an older one, or someone else changed it.',
    'Nothing: a later report decides, an hour (`automation.read_lag_minutes`) after the first that saw it. `pacekeeper budgets history` has our changes.',
  ],
  NOT_SERVING: [
    'No campaign whose numbers decided runs: all are removed or paused.',
    'Nothing. `include_paused: true` in the rule counts paused campaigns.',
  ],
  ALREADY_DECIDED_TODAY: [
    'The budget had its change of this day of the account.',
    "Wait for the account's next day. A person can still take the change back: `pacekeeper budgets undo B12`.",
  ],
  WAITS_FOR_APPROVAL: [
    'A change of the budget awaits approval.',
    '`pacekeeper budgets list`, then `budgets approve CODE` or `budgets reject CODE`.',
  ],
  REJECTED: [
    'A person rejected a proposal for the budget.',
    "Nothing: rules ask again on the account's next day, one with a cooldown when that is over. `pacekeeper budgets list --all` says who said no.",
  ],
  DECIDED_BY_OTHER: [
    'Another rule, or another campaign of a shared budget, came first.',
    '`pacekeeper rules evaluate` shows who wins. Narrow one of the rules with `where`, or make one rule `for: budget`.',
  ],
  FOREIGN_CHANGE: [
    'Someone else changed the budget.',
    'Nothing: rules go on tomorrow, from the new amount. `pacekeeper budgets history` has the change.',
  ],
  COOLDOWN: ["The budget's last change is too recent.", "Wait, or shorten the rule's `limits.cooldown`."],
  NOT_ENOUGH_DATA: [
    "There is less data than the rule's `limits.minimum` asks for.",
    'Wait for data, lengthen `over`, or lower the minimum.',
  ],
  TARGET_UNKNOWN: [
    'The amount of `set budget to` cannot be computed, because a value is not known.',
    '`pacekeeper rules explain RULE --campaign ID` names the value; `coalesce` gives it another.',
  ],
  NOT_POSITIVE: ['The amount would be zero or less.', 'Give the rule a `limits.floor`, or check its arithmetic.'],
  TOO_LARGE: ['The amount is larger than the interface can hold.', "Check the rule's arithmetic and `currency`."],
  AT_FLOOR: ['The budget is at the floor already, or below it.', 'Lower `limits.floor`, if that is wanted.'],
  AT_CEILING: ['The budget is at the ceiling already, or above it.', 'Raise `limits.ceiling`, if that is wanted.'],
  AT_DRIFT: [
    'The budget has moved as far as `limits.drift` lets it within its days.',
    'Wait, or decide by hand in the service: the next day counts from there.',
  ],
  NO_CHANGE: ["The change is less than the currency's smallest unit.", 'Nothing: there is nothing to change.'],
  OUTSIDE_LIMITS: [
    'Limits leave only an amount on the wrong side: an increase that would stay below the floor.',
    'Bring the budget into the range of floor and ceiling by hand, or widen the range.',
  ],
  UNIT_SANITY: [
    'The request is for more than 20 times, or less than a twentieth, of the budget.',
    'Look for cents taken for units, or `_micros` beside an amount. No limit softens it: make such a change by hand.',
  ],
  TOTAL_UNKNOWN: [
    'An increase in an account with a bound, while the amount of one of its budgets is not known.',
    'Give the budget that is named a daily amount, remove it, or take the bound away. Budgets of a whole period have none.',
  ],
  ACCOUNT_TOTAL: ['An increase would pass `accounts.<id>.daily_total`.', 'Raise the bound, or lower other budgets.'],
  EXPOSURE: [
    'An increase would pass `accounts.<id>.daily_exposure`.',
    'Raise the bound, or wait for the next day: each budget counts with its highest amount of today, doubled.',
  ],
  CHANGES_PER_RUN: [
    'The run has made as many changes as `automation.changes_per_run` allows.',
    'Look at the rule first; then raise the bound. The rest is decided anew by the next run.',
  ],
};

/** Why a person's own request was not carried out, and how a change ended that nobody's guard stopped. */
export const REQUEST_CURES = {
  NO_SUCH_PROPOSAL: ['No proposal has this code.', '`pacekeeper budgets list` shows those that await approval.'],
  NOT_OPEN: ['The proposal was decided a moment ago.', '`pacekeeper budgets list --all` says by whom.'],
  DECIDED_ALREADY: ['The proposal was approved or rejected before.', '`pacekeeper budgets show CODE` has the story.'],
  PROPOSAL_EXPIRED: [
    'The proposal is over: its hours passed, or a report of the next day came.',
    'The next report asks anew, by its own numbers. `automation.approval_hours` lengthens the wait.',
  ],
  SUPERSEDED: [
    'The budget has another amount than the proposal was made on.',
    'Nothing: the next report decides by the amount of then.',
  ],
  MODE_NARROWED: [
    "The rule's `mode` or `automation.mode` only shows changes now.",
    'Nothing: the proposal is over. Widen the mode, and the next report asks anew.',
  ],
  RULE_GONE: ['The rule that decided it has no file any more.', 'Nothing: the proposal is over.'],
  RULE_CHANGED: [
    'The file of the rule was changed after it asked.',
    'Nothing: the proposal is over. The next report decides by the rule as it is now.',
  ],
  ACCOUNT_EXCLUDED: [
    'The account is under `ads.exclude_customer_ids`.',
    'Nothing: the proposal is over. Take the account out of the list if it is to be changed.',
  ],
  CURRENCY_CHANGED: ['The account has another currency now.', 'Nothing: the next report decides in the new one.'],
  NOT_MADE: ['Only a change that was made can be undone.', '`pacekeeper budgets history` lists those.'],
  UNDONE_ALREADY: ['The change was undone before.', 'To bring it back, undo the undo: it has a number of its own.'],
  NOT_READ: [
    'The budget could not be read now.',
    'Try again later; where the interface shows no budgets at all, declare them under `budgets`.',
  ],
  NEVER_SENT: [
    'The process ended before the change was sent. Nothing was changed.',
    'Nothing: the run decides anew by the numbers of today. An approved change has to be approved again.',
  ],
  AUTOMATION_OFF: [
    'The change was never made, and its rule or `automation.mode` does not let it be sent again.',
    'Nothing: the rule was deleted, changed or narrowed, or its campaign does not run. Set `mode: apply` in both if rules are to go on.',
  ],
  STOPPED: [
    'The run was asked to end before the change was sent. Nothing was changed.',
    'Nothing: the next run decides anew. What a person asked for has to be asked for again.',
  ],
  NO_ANSWER: [
    'A change was sent and no answer came.',
    'The budget is blocked until it was read back: `pacekeeper budgets reconcile`, or the next report.',
  ],
} as const satisfies Readonly<Record<string, Cure>>;
