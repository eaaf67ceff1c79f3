import * as z from 'zod';
import type { PaceRow } from '../page/pace-table.ts';
import { type AccountNames, nameOf } from './page-decisions.ts';

const amount = z
  .union([z.int(), z.string().regex(/^-?\d{1,30}$/)])
  .transform((value) => BigInt(value))
  .nullish()
  .transform((value) => value ?? undefined);

/** A target as the record of a run has it. Records of earlier versions have none. */
export const pacingRecord = z
  .array(
    z.object({
      ...{ rule: z.string(), customer_id: z.string(), subject: z.string(), currency: z.string().nullish() },
      ...{ state: z.string(), target_micros: amount, spent_micros: amount, ideal_to_date_micros: amount },
      ...{ projected_micros: amount, budget_micros: amount, should_be_micros: amount },
    }),
  )
  .catch([]);

/** The targets of a run's record as rows of a page. */
export function pacingRows(record: z.infer<typeof pacingRecord>, names: AccountNames): PaceRow[] {
  return record.map((target) => ({
    ...{ subject: target.subject, account: nameOf(names, target.customer_id), rule: target.rule, state: target.state },
    ...{ currency: target.currency ?? undefined, target: target.target_micros, spent: target.spent_micros },
    ...{ idealToDate: target.ideal_to_date_micros, projected: target.projected_micros },
    ...{ budget: target.budget_micros, shouldBe: target.should_be_micros },
  }));
}
