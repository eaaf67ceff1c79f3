import type { DateRange } from '../domain/civil-date.ts';
import { frozenLines } from '../domain/frozen.ts';
import { pacingRow } from './pacing-row.ts';
import type {
  AccountResult,
  DecisionResult,
  MessageResult,
  ReportResult,
  RuleResult,
  TotalResult,
} from './report-result.ts';
import { toJson } from './to-json.ts';

/**
 * The report as one JSON object with snake-case keys. Integers beyond the range that JSON readers keep exact are text;
 * days are `{from, to}`; what is not known is null.
 */
export function renderReportJson(result: ReportResult): string {
  const { run, accounts, slices, rules, messages } = result;
  const object = {
    run: {
      id: run.id,
      command: run.command,
      target: run.target,
      mode: run.mode,
      dry_run: run.dryRun,
      started_at: run.startedAt,
      ended_at: run.endedAt,
      operations: run.operations,
      record_head: run.recordHead,
      exit_code: run.exitCode,
    },
    notes: [...frozenLines(result.frozen), ...result.notes],
    accounts: accounts.map(accountJson),
    slices: slices.map(({ query, customerId, days, rows, bytes, notOffered, failure, left }) => ({
      query,
      customer_id: customerId,
      days: daysJson(days),
      rows,
      bytes,
      not_offered: notOffered !== undefined,
      failure,
      left,
    })),
    totals: result.totals.map(totalJson),
    rules: rules.map(ruleJson),
    decisions: result.decisions.map(decisionJson),
    settled: result.settled.map(decisionJson),
    messages: messages.map(messageObject),
    failures: result.failures,
    pacing: (result.pacing ?? []).map(pacingRow),
  };
  return toJson(object);
}

function totalJson({ query, customerId, campaign, days, currency, metrics }: TotalResult): object {
  const sums = Object.fromEntries(metrics);
  return {
    query,
    customer_id: customerId,
    campaign_id: campaign?.id,
    campaign_name: campaign?.name,
    days: daysJson(days),
    currency,
    ...sums,
  };
}

export function accountJson({ customerId, name, currency, timeZone, failure, leftOut }: AccountResult): object {
  return { customer_id: customerId, name, currency, time_zone: timeZone, failure, left_out: leftOut };
}

export function ruleJson({ rule, customerId, subjects, fired, unknown, notEvaluated }: RuleResult): object {
  return { rule, customer_id: customerId, subjects, fired, unknown, not_evaluated: notEvaluated };
}

export function decisionJson(decision: DecisionResult): object {
  return {
    rule: decision.rule,
    customer_id: decision.customerId,
    campaign_id: decision.campaignId,
    campaign_name: decision.campaignName,
    subject: decision.subject,
    budget_id: decision.budgetId,
    currency: decision.currency,
    from_micros: decision.from,
    to_micros: decision.to,
    state: decision.state,
    code: decision.code,
    intent_id: decision.intentId,
    proposal: decision.proposal,
    reason: decision.reason,
    detail: decision.detail,
  };
}

const daysJson = (days: DateRange | undefined) => days && { from: days.from, to: days.to };

export function messageObject(message: MessageResult): object {
  const { name, channel, recipient, state, firstLine, alerts, counted, instead, isLost, detail } = message;
  return { name, channel, recipient, state, text: firstLine, alerts, counted, instead, lost: isLost, detail };
}
