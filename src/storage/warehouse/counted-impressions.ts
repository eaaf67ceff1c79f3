import { type CountedImpressions, LOST_MOST, SHARE_LEAST } from '../../domain/member.ts';
import { identifier } from './query-table.ts';

/** The same formula as `countImpressions`, as SQL. NULL stands for undefined. */
export function countedImpressions({ impressions, share, lost }: CountedImpressions): string {
  const shown = identifier(impressions);
  const of = identifier(share);
  const exact = [`${of} >= ${SHARE_LEAST}`, ...(lost === undefined ? [] : [`${identifier(lost)} <= ${LOST_MOST}`])];
  const times = lost === undefined ? '' : ` * ${identifier(lost)}`;
  return `CASE WHEN ${exact.join(' AND ')} THEN 1.0 * ${shown} / ${of}${times} END`;
}
