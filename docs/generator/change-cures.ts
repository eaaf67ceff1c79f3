import type { RefusalCode } from '../../src/language/rules/decide/refusal.ts';

/** The meaning of a code, and what to do. Rows with the same cure share a row of the page. */
export type Cure = readonly [meaning: string, cure: string];

const READ_BACK = 'Nothing. The next run, or `pacekeeper budgets reconcile`, finds the outcome.';
export const BLOCKED_UNTIL_READ: Cure = ['A change was sent, and no answer came.', READ_BACK];

/** Why a guard refused the change of a rule. */
export const GUARD_CURES: Readonly<Record<RefusalCode, Cure>> = {
  FROZEN: [
    'Budget changes are frozen.',
    'The refusal shows why. Set a wrong clock. Otherwise, run `pacekeeper unfreeze --why …`.',
  ],
  BUDGET_NOT_KNOWN: [
    'The budget or its amount is unknown.',
    'If the interface shows no budgets, set `budgets.<customer_id>.<budget_id>` in `pacekeeper.yaml`.',
  ],
  TOTAL_BUDGET: [
    'The budget has one amount for its whole period (`CUSTOM_PERIOD`). Rules change only daily budgets.',
    'Give the campaign a daily budget.',
  ],
  BUDGET_REMOVED: ['The budget no longer exists.', 'Nothing.'],
  CURRENCY_NOT_KNOWN: [
    "The account's currency, or the smallest step of its amounts, is unknown.",
    'Set `accounts.<customer_id>.currency` to an ISO 4217 code, or `budget_unit`.',
  ],
  OUTCOME_OPEN: ['An earlier change of the budget has no known outcome.', READ_BACK],
  AMOUNT_IN_DOUBT: [
    'The budget shows another amount than pacekeeper last set. The reading may be old, or someone else changed it.',
    'Nothing. A report an hour later (`automation.read_lag_minutes`) decides.',
  ],
  NOT_SERVING: [
    'All campaigns behind the decision are removed or paused.',
    'Nothing. To count paused campaigns, set `include_paused: true` in the rule.',
  ],
  ALREADY_DECIDED_TODAY: [
    'A rule already changed the budget on this account day.',
    "Wait for the account's next day. Undo still works.",
  ],
  WAITS_FOR_APPROVAL: [
    'A change of the budget awaits approval.',
    'Run `pacekeeper budgets list`, then `budgets approve CODE` or `budgets reject CODE`.',
  ],
  REJECTED: [
    'A person rejected a change of the budget.',
    "Nothing. Rules ask again on the account's next day, or after a longer cooldown.",
  ],
  DECIDED_BY_OTHER: [
    'Another rule, or another campaign with the same budget, already decided.',
    'Narrow a rule with `where`, or write one rule `for: budget`.',
  ],
  FOREIGN_CHANGE: ['Someone else changed the budget.', 'Nothing. Rules continue tomorrow from the new amount.'],
  COOLDOWN: ['The last change of the budget is too recent.', "Wait, or shorten the rule's `limits.cooldown`."],
  NOT_ENOUGH_DATA: [
    "There is less data than the rule's `limits.minimum` requires.",
    'Wait for data, lengthen `over`, or lower the minimum.',
  ],
  TARGET_UNKNOWN: [
    'A value in `set budget to` is unknown.',
    '`pacekeeper rules explain RULE --campaign ID` names the value. `coalesce` can replace it.',
  ],
  NOT_POSITIVE: ['The amount would be zero or less.', "Set `limits.floor`, or check the rule's arithmetic."],
  TOO_LARGE: ['The amount is larger than the interface can hold.', "Check the rule's arithmetic and `currency`."],
  AT_FLOOR: ['The budget is at its floor or below.', 'To allow less, lower `limits.floor`.'],
  AT_CEILING: ['The budget is at its ceiling or above.', 'To allow more, raise `limits.ceiling`.'],
  AT_DRIFT: [
    'The budget has moved as far as `limits.drift` allows.',
    'Wait, or set the budget yourself in the service.',
  ],
  NO_CHANGE: ['The change is zero, or below the smallest step of amounts.', 'Nothing.'],
  OUTSIDE_LIMITS: [
    'The new amount would be outside the limits. Example: an increase that stays below the floor.',
    'In the service, set the budget between floor and ceiling. Or widen the range.',
  ],
  UNIT_SANITY: [
    'The new amount is more than 20 times the budget, or less than a twentieth.',
    'Check the rule for cents instead of units, or `_micros` beside an amount. Or make the change yourself in the service.',
  ],
  TOTAL_UNKNOWN: [
    'The account has `daily_total` or `daily_exposure`, but the amount of a budget is unknown.',
    'Give the named budget a daily amount, or remove these bounds.',
  ],
  ACCOUNT_TOTAL: ['An increase would exceed `accounts.<id>.daily_total`.', 'Raise the bound, or lower other budgets.'],
  EXPOSURE: ['An increase would exceed `accounts.<id>.daily_exposure`.', 'Raise the bound, or wait a day.'],
  CHANGES_PER_RUN: ['The run reached `automation.changes_per_run`.', 'Nothing. The next run decides the rest.'],
  PLAN_INCOMPLETE: [
    'Another change of the same reallocation was refused, so none is made.',
    'The refusal names the budget and its code. See there.',
  ],
};

const DECIDED_BEFORE = 'Nothing. `pacekeeper budgets show CODE` shows its history.';
const AGENT_SETTINGS = 'See [agents](agents.md#limits).';
const AGENT_ASKS = 'Nothing. The agent reads the reason, and can ask again.';
const ASKED_ANEW = 'Nothing. The next report decides anew.';
const ASK_AGAIN = 'Nothing. The next run decides anew. If you approved or undid the change, do it again.';

/** Why a request of a person ended, and how a change ended that no guard stopped. */
export const REQUEST_CURES = {
  NO_SUCH_PROPOSAL: ['No change has this code.', '`pacekeeper budgets list` shows the changes that await approval.'],
  NOT_OPEN: ['The change was decided a moment ago.', DECIDED_BEFORE],
  DECIDED_ALREADY: ['The change was approved or rejected before.', DECIDED_BEFORE],
  PROPOSAL_EXPIRED: ['The request expired, or a report ran on the next account day.', ASKED_ANEW],
  SUPERSEDED: ["The budget's amount changed after the request.", ASKED_ANEW],
  MODE_NARROWED: [
    "The rule's `mode` or `automation.mode` now only suggests changes.",
    'To let the next report ask again, set the mode to `approve` or `apply`.',
  ],
  AGENTS_READ_ONLY: ['`agents.mode` is `read`, or `agents.limits` are not set.', AGENT_SETTINGS],
  MOVEMENT_A_DAY: ['Suggestions may move the budgets of an account only so far in a day.', AGENT_SETTINGS],
  PROPOSALS_A_DAY: ['The agent made as many suggestions in 24 hours as allowed.', AGENT_SETTINGS],
  OPEN_PROPOSALS: ['As many suggestions of the agent await a person as allowed.', AGENT_SETTINGS],
  FILE_BROKEN: ['A query, rule or target has errors, so its limits are unknown.', 'Run `pacekeeper check`.'],
  CURRENCY: ['The suggested amount is in another currency, or `agents.limits` are for another one.', AGENT_ASKS],
  OLD_FIGURES: ['The figures of a suggestion are older than the last report, or from the future.', AGENT_ASKS],
  NO_DATA: ['No report has ended yet, so a suggestion can have no figures.', 'Run `pacekeeper report`.'],
  KEY_USED: ['The key of the suggestion stands for another one.', AGENT_ASKS],
  WRONG_END: ['The end of the suggestion has passed, or is too late.', AGENT_ASKS],
  ACCOUNT_NOT_READ: ['The account of the suggestion could not be read.', 'Run `pacekeeper doctor`.'],
  WITHDRAWN: ['The agent withdrew its suggestion.', 'Nothing.'],
  RULE_GONE: ['The file of the rule was deleted.', 'Nothing.'],
  RULE_CHANGED: ['The file of the rule was changed after the request.', ASKED_ANEW],
  ACCOUNT_EXCLUDED: [
    'The account is in `ads.exclude_customer_ids`.',
    'To allow changes, remove the account from the list.',
  ],
  CURRENCY_CHANGED: ["The account's currency changed.", ASKED_ANEW],
  NOT_SMALLER: [
    'A smaller step lies between the present amount and the proposed one.',
    'Approve such an amount, or the proposed one. For another amount, reject the change, and set the budget in the service.',
  ],
  BEYOND_PLAN: [
    'The target has no room for the increase any more: another of its budgets was raised.',
    'Nothing, or approve a `--part` of it. The next report decides anew.',
  ],
  DATA_ERROR: [
    'A test of data failed in the last report, for a table that the rule reads.',
    'See the rows with `pacekeeper test`. Correct the data, then run a report.',
  ],
  PLAN_UNKNOWN: [
    'An account of the target cannot be read, lacks a day or a rate, or has a change in doubt.',
    'The refusal shows which. Try again afterwards.',
  ],
  NOT_MADE: [
    'Only a change that was made can be undone.',
    '`pacekeeper budgets history` lists the changes that were made.',
  ],
  UNDONE_ALREADY: ['The change was undone before.', 'To restore the change, undo the undo by its own number.'],
  NOT_READ: [
    'The budget cannot be read at the moment.',
    'Try again later. If the interface shows no budgets, declare them under `budgets`.',
  ],
  NOT_FREED: [
    'The decreases of a reallocation have not freed the money for this increase.',
    'Approve the decreases first. Without approvals, the next report decides anew.',
  ],
  NEVER_SENT: ['The process ended before it sent the change.', ASK_AGAIN],
  AUTOMATION_OFF: [
    'The change was not made. Its rule, its campaign or `automation.mode` no longer allows it. Or it is an increase of a target, or in an account with a limit on the sum of budgets. Its room may be gone.',
    'To allow changes, set the rule and `automation.mode` to `apply`. Rules and targets decide again on the next day.',
  ],
  STOPPED: ['The run was stopped before it sent the change.', ASK_AGAIN],
  NO_ANSWER: BLOCKED_UNTIL_READ,
  MADE_ANYWAY: [
    'The service made the change, although it had refused it.',
    'Nothing. The change counts. Tell the operator of the service or gateway.',
  ],
} as const satisfies Readonly<Record<string, Cure>>;
