import type { App } from '../app.ts';
import { planIntents } from '../budgets/apply-intents.ts';
import { alertForProposal, untilWords } from '../budgets/describe-change.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { tellableName } from '../http/tellable.ts';
import type { DecisionResult } from '../report/report-result.ts';
import type { Decision } from '../rules/decision.ts';
import { refused } from '../rules/refusal.ts';
import { refusalWords } from '../rules/refusal-words.ts';
import { knownAccount } from '../store/account-table.ts';
import { enqueueAlert, type NewAlert } from '../store/alert-table.ts';
import type { DecidedChange } from '../store/decided-change.ts';
import type { Intent } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';
import { insertProposal, type Proposal } from '../store/proposal-table.ts';
import { changedIn, decisionResult } from './decision-results.ts';
import type { AccountDecisions } from './evaluate-rules.ts';
import { proposalExpiresAt } from './proposal-expiry.ts';

export interface Plan {
  readonly intents: readonly Intent[];
  /** What is decided without an intent: refusals, proposals, what is only shown. */
  readonly decisions: readonly DecisionResult[];
}

/**
 * Writes down what was decided, before anything is sent: an intent for each change that may be applied, a proposal for
 * each that a person must approve. The number of changes in a run is bounded over all accounts together: decreases first, then
 * increases, in the order of the accounts.
 */
export async function planChanges(
  app: App,
  runId: bigint | undefined,
  accounts: readonly AccountDecisions[],
  dryRun: boolean,
): Promise<Plan> {
  const intents: Intent[] = [];
  const decisions: DecisionResult[] = [];
  const most = app.settings.automation.changesPerRun;
  const within = withinRun(accounts, most);
  for (const account of accounts) {
    const planned: { readonly decision: ChangeDecision; readonly change: DecidedChange }[] = [];
    for (const decision of account.decisions) {
      if (decision.kind === 'refused') decisions.push(decisionResult(account, decision, app.redact));
      else if (!within.has(decision)) decisions.push(decisionResult(account, beyond(decision, most), app.redact));
      else {
        const change = decidedChange(account, decision, app);
        if (decision.mode === 'propose' || dryRun) decisions.push(decisionResult(account, decision, app.redact));
        else if (decision.mode === 'approve') decisions.push(await propose(app, runId, account, decision, change));
        else planned.push({ decision, change });
      }
    }
    const made = await planIntents(
      app,
      runId,
      planned.map(({ decision, change }) => ({
        ...change,
        kind: 'rule' as const,
        origin: 'rule' as const,
        undoes: undefined,
        actor: `rule ${decision.wish.rule.name}@${decision.wish.rule.version}`,
      })),
    );
    for (const [index, { decision }] of planned.entries()) {
      const intent = made[index];
      if (intent) intents.push(intent);
      else decisions.push(decisionResult(account, taken(decision), app.redact));
    }
  }
  return { intents, decisions };
}

/** What is only shown takes nobody's place. */
function withinRun(accounts: readonly AccountDecisions[], most: number): ReadonlySet<Decision> {
  const changes = accounts.flatMap(({ decisions }) => decisions.filter((one) => one.kind === 'change'));
  const shown = changes.filter(({ mode }) => mode === 'propose');
  const made = changes.filter(({ mode }) => mode !== 'propose');
  const rank = ({ from, to }: ChangeDecision) => (to < from ? 0 : 1);
  return new Set([...shown, ...made.toSorted((a, b) => rank(a) - rank(b)).slice(0, most)]);
}

type ChangeDecision = Extract<Decision, { readonly kind: 'change' }>;

/** What goes on record: the names in its texts come from rows, which hold whatever the service said. */
function decidedChange(
  account: AccountDecisions,
  decision: ChangeDecision,
  { clock, redact }: Pick<App, 'clock' | 'redact'>,
): DecidedChange {
  const { wish, budgetId, from, to, amountSource, currency } = decision;
  const { rule, subject, alertText } = wish;
  const { campaignId, campaignName: name } = changedIn(account, subject, budgetId);
  const [campaignName, text] = [tellableName(name, redact), alertText && redact(alertText)];
  const reason = redact(decision.reason);
  return {
    ...{ customerId: subject.customerId, budgetId, campaignId, campaignName, currency, from, to, amountSource, reason },
    accountDay: civilDateAt(clock.now(), account.timeZone),
    rule: rule.name,
    ruleVersion: rule.version,
    declared: account.declared.get(budgetId),
    floor: rule.limits.floor,
    ceiling: rule.limits.ceiling,
    alertText: rule.alert && text,
    alertSeverity: text === undefined ? undefined : rule.alert?.severity,
  };
}

async function propose(
  app: App,
  runId: bigint | undefined,
  account: AccountDecisions,
  decision: ChangeDecision,
  change: DecidedChange,
): Promise<DecisionResult> {
  const nowMs = app.clock.now();
  const expiresAtMs = proposalExpiresAt(
    decision.wish.rule,
    account.timeZone,
    nowMs,
    app.settings.automation.approvalHours,
  );
  const proposal = await app.state.db.transaction().execute(async (trx) => {
    const made = await insertProposal(trx, runId, { ...change, expiresAtMs }, nowMs);
    if (made) await enqueueAlert(trx, await proposalAlert(app, trx, made, account), nowMs);
    return made;
  });
  const result = decisionResult(account, decision, app.redact);
  if (!proposal) {
    const refusal = refused('WAITS_FOR_APPROVAL', { budgetId: decision.budgetId, proposal: null });
    return { ...result, state: 'refused', code: refusal.code, detail: refusalWords(refusal) };
  }
  const detail = `It awaits approval until ${untilWords(proposal, account.timeZone)}: pacekeeper budgets approve ${proposal.code}.`;
  return { ...result, proposal: proposal.code, detail };
}

async function proposalAlert(
  { alerts, settings }: App,
  trx: StateDb,
  proposal: Proposal,
  { customerId, timeZone }: AccountDecisions,
): Promise<NewAlert> {
  const name = (await knownAccount(trx, customerId))?.name;
  const words = { name, locale: settings.accounts.get(customerId)?.locale };
  return alertForProposal(proposal, words, { byReply: alerts.approvers.length > 0, timeZone });
}

const beyond = ({ wish }: ChangeDecision, most: number): Decision => ({
  kind: 'refused',
  wish,
  refusal: refused('CHANGES_PER_RUN', { most }),
});

const taken = ({ wish, budgetId }: ChangeDecision): Decision => ({
  kind: 'refused',
  wish,
  refusal: refused('ALREADY_DECIDED_TODAY', { budgetId, state: null }),
});
