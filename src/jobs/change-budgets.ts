import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { type Application, mayHaveBeenSent } from '../budgets/apply-intent.ts';
import { readBudgets } from '../budgets/read-budgets.ts';
import { expireIntent, settleIntent } from '../budgets/settle-intent.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import type { DecisionResult } from '../report/report-result.ts';
import type { Verdict } from '../rules/evaluate-rule.ts';
import { type Intent, insertIntent } from '../store/intent-table.ts';
import { declaredFor } from './apply-rules.ts';
import type { RunAccount } from './discover-accounts.ts';

/** Commits an intent for each decision that may be applied; the others are proposals or refusals already. */
export async function planChanges(
  app: App,
  runId: bigint,
  verdicts: readonly Verdict[],
  accounts: readonly RunAccount[],
  dryRun: boolean,
): Promise<{ readonly intents: readonly Intent[]; readonly decisions: readonly DecisionResult[] }> {
  const intents: Intent[] = [];
  const decisions: DecisionResult[] = [];
  for (const verdict of verdicts) {
    const { decision } = verdict;
    if (!decision) continue;
    const result = decisionResult(verdict);
    const timeZone = accounts.find(({ customerId }) => customerId === verdict.customerId)?.timeZone;
    if (decision.kind === 'refused' || decision.mode !== 'apply' || dryRun || timeZone === undefined) {
      decisions.push(result);
      continue;
    }
    const { customerId, campaignId, campaignName, rule } = verdict;
    const { budgetId, currency, from, to, amountSource, reason } = decision;
    const nowMs = app.clock.now();
    const accountDay = civilDateAt(nowMs, timeZone);
    const subject = { customerId, budgetId, campaignId, campaignName, currency, rule };
    const change = { ...subject, accountDay, from, to, amountSource, reason };
    const intent = await insertIntent(app.state.db, runId, change, nowMs);
    if (intent) intents.push(intent);
    else decisions.push({ ...result, state: 'refused', detail: 'The budget already had its change of the day.' });
  }
  return { intents, decisions };
}

function decisionResult(verdict: Verdict): DecisionResult {
  const { rule, customerId, campaignId, campaignName, decision } = verdict;
  const about = { rule, customerId, campaignId, campaignName };
  if (decision?.kind !== 'change') {
    const none = { budgetId: undefined, currency: undefined, from: undefined, to: undefined };
    return { ...about, ...none, state: 'refused', reason: verdict.explanation, detail: decision?.reason };
  }
  const { budgetId, currency, from, to, reason } = decision;
  return { ...about, budgetId, currency, from, to, state: 'proposed', reason, detail: undefined };
}

/**
 * What earlier runs left open. A change that was never sent is given up: today's numbers and today's rules decide anew. One
 * that may have been sent is brought to an end.
 */
export async function settleLeftovers(
  app: App,
  ads: AdsConnection,
  left: readonly Intent[],
  accounts: readonly RunAccount[],
): Promise<DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (const intent of left.filter((one) => !mayHaveBeenSent(one))) {
    const application = await expireIntent(app, intent, 'It was never sent, so this run decided anew.');
    results.push(intentResult(intent, application));
  }
  return [...results, ...(await settleIntents(app, ads, left.filter(mayHaveBeenSent), accounts))];
}

/**
 * Brings intents to an end, account by account. Immediately before an account's first request its budgets are read, so
 * that a change made by someone else in the meantime is seen.
 */
export async function settleIntents(
  app: App,
  ads: AdsConnection,
  intents: readonly Intent[],
  accounts: readonly RunAccount[],
): Promise<DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (const customerId of new Set(intents.map((intent) => intent.customerId))) {
    const own = intents.filter((intent) => intent.customerId === customerId);
    const timeZone = accounts.find((account) => account.customerId === customerId && !account.failure)?.timeZone;
    if (timeZone === undefined) {
      results.push(
        ...own.map((intent) => intentResult(intent, leftOpen(intent, 'the account could not be read in this run.'))),
      );
      continue;
    }
    results.push(...(await settleAccount(app, ads, own, customerId, timeZone)));
  }
  return results;
}

async function settleAccount(
  app: App,
  ads: AdsConnection,
  intents: readonly Intent[],
  customerId: Intent['customerId'],
  timeZone: string,
): Promise<DecisionResult[]> {
  try {
    const book = await readBudgets({ ads, db: app.state.db }, customerId, declaredFor(app, { customerId }));
    const results: DecisionResult[] = [];
    for (const intent of intents) {
      const today = civilDateAt(app.clock.now(), timeZone);
      const application = await settleIntent({ ...app, ads }, intent, book, today, app.settings.mode === 'apply');
      app.log.info(`Budget ${intent.budgetId} of account ${customerId}: ${application.kind}`);
      results.push(intentResult(intent, application));
    }
    return results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return intents.map((intent) => intentResult(intent, leftOpen(intent, explainFailure(error))));
  }
}

function leftOpen(intent: Intent, why: string): Application {
  const kind = mayHaveBeenSent(intent) ? 'unknown' : 'postponed';
  return { kind, reason: `Its budget could not be read: ${why}` };
}

function intentResult(intent: Intent, application: Application): DecisionResult {
  const { rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason } = intent;
  return {
    ...{ rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason },
    state: application.kind,
    detail: 'reason' in application ? application.reason : undefined,
  };
}
