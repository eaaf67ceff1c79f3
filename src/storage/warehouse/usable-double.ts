import { DOUBLE_MOST } from '../../domain/member.ts';

/** SQL of a DOUBLE, or NULL if it is infinite or too large for a sum, such as 1e400. Adding such values can be an error. */
export function usableDouble(stored: string): string {
  return `CASE WHEN abs(${stored}) < ${DOUBLE_MOST} THEN ${stored} END`;
}

/** SQL of a sum, or NULL if one of the values is unusable, because a partial sum would be wrong. */
export function sumOfUsable(sum: string, stored: string): string {
  return `CASE WHEN count(${usableDouble(stored)}) = count(${stored}) THEN ${sum} END`;
}
