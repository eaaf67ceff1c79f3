import * as z from 'zod';
import type { CivilDate } from '../../domain/civil-date.ts';
import { type BudgetId, type CustomerId, parseBudgetResourceName } from '../../domain/ids.ts';
import { type Micros, parseMicros } from '../../domain/micros.ts';
import { malformed } from '../../http/classify-failure.ts';
import type { AdsConnection } from './ads-connection.ts';
import { int64, type Offered, offered } from './read-account.ts';
import { readRows } from './read-rows.ts';

/** A change of a budget's amount, whoever made it. */
export interface BudgetChange {
  readonly budgetId: BudgetId;
  readonly from: Micros;
  readonly to: Micros;
}

/** The most that the interface answers with. */
const CHANGES_MAX = 10_000;

const amounts = z.object({ campaignBudget: z.object({ amountMicros: int64 }).partial() }).partial();
const changeRow = z.object({
  changeEvent: z.object({
    changeResourceName: z.string().default(''),
    resourceChangeOperation: z.string().optional(),
    oldResource: amounts.optional(),
    newResource: amounts.optional(),
  }),
});

/**
 * The changes of an account's budget amounts on a day of its calendar, oldest first. An amount that is left out is zero, as in
 * the interface's JSON; a new budget is no change. Throws `ApiError` when there are more than one answer holds.
 */
export async function readBudgetChanges(
  ads: AdsConnection,
  customer: CustomerId,
  day: CivilDate,
): Promise<Offered<readonly BudgetChange[]>> {
  const answer = await offered(() => readRows(ads, customer, changesQuery(day), changeRow), true);
  if (answer.kind === 'not_offered') return answer;
  if (answer.value.length >= CHANGES_MAX) {
    throw malformed('TOO_LARGE', `The history of changes has more than ${CHANGES_MAX} changes of ${day}`, false);
  }
  const changes = answer.value.flatMap(({ changeEvent }): BudgetChange[] => {
    const { changeResourceName, resourceChangeOperation, oldResource, newResource } = changeEvent;
    const named = parseBudgetResourceName(changeResourceName);
    const to = parseMicros(newResource?.campaignBudget?.amountMicros ?? '');
    const from = parseMicros(oldResource?.campaignBudget?.amountMicros ?? '0');
    if (resourceChangeOperation === 'CREATE' || named?.customer !== customer) return [];
    return to === undefined || from === undefined || from === to ? [] : [{ budgetId: named.budget, from, to }];
  });
  return { kind: 'offered', value: changes };
}

/** The interface wants both ends of the time, and a LIMIT. */
function changesQuery(day: CivilDate): string {
  const fields = ['change_resource_name', 'resource_change_operation', 'old_resource', 'new_resource'];
  const time = 'change_event.change_date_time';
  return [
    `SELECT ${fields.map((field) => `change_event.${field}`).join(', ')} FROM change_event`,
    `WHERE ${time} BETWEEN '${day} 00:00:00' AND '${day} 23:59:59.999999'`,
    `AND change_event.change_resource_type = "CAMPAIGN_BUDGET" ORDER BY ${time} LIMIT ${CHANGES_MAX}`,
  ].join(' ');
}
