import type { DateRange } from '../../domain/civil-date.ts';
import { frozenLines } from '../../domain/frozen.ts';
import type { MessageResult, ReportResult, TotalResult } from '../../language/results/report-result.ts';
import { ACCOUNT_COLUMNS, DECISION_COLUMNS, RULE_RESULT_COLUMNS } from '../decision-columns.ts';
import { jsonObject } from '../kit/json.ts';
import { PACING_COLUMNS, shownTarget, WITHHELD_COLUMNS } from '../pacing.ts';
import { toJson } from '../text/to-json.ts';
import { MONTH_COLUMNS } from './month-columns.ts';

/** Integers that a JSON reader would round become text. */
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
    accounts: accounts.map((account) => jsonObject(ACCOUNT_COLUMNS, account)),
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
    rules: rules.map((rule) => jsonObject(RULE_RESULT_COLUMNS, rule)),
    decisions: result.decisions.map((decision) => jsonObject(DECISION_COLUMNS, decision)),
    settled: result.settled.map((decision) => jsonObject(DECISION_COLUMNS, decision)),
    messages: messages.map(messageObject),
    failures: result.failures,
    months: (result.months ?? []).map((month) => jsonObject(MONTH_COLUMNS, month)),
    needs: result.needs ?? [],
    pacing: (result.pacing ?? []).map((target) => jsonObject(PACING_COLUMNS, shownTarget(target, undefined))),
    withheld: (result.withheld ?? []).map((target) => jsonObject(WITHHELD_COLUMNS, target)),
  };
  return toJson(object);
}

function totalJson({ query, customerId, campaign, days, currency, metrics, arriving }: TotalResult): object {
  const sums = Object.fromEntries(metrics);
  return {
    query,
    customer_id: customerId,
    campaign_id: campaign?.id,
    campaign_name: campaign?.name,
    days: daysJson(days),
    currency,
    ...sums,
    ...(arriving && {
      conversions_until: arriving.completeUntil,
      conversions_arriving: arriving.soFar,
      conversions_to_come: arriving.more,
    }),
  };
}

const daysJson = (days: DateRange | undefined) => days && { from: days.from, to: days.to };

export function messageObject(message: MessageResult): object {
  const { name, channel, recipient, state, firstLine, alerts, counted, instead, isLost, detail } = message;
  return { name, channel, recipient, state, text: firstLine, alerts, counted, instead, lost: isLost, detail };
}
