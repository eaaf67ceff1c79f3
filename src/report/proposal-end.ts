import { addDays, type CivilDate } from '../domain/civil-date.ts';

/**
 * The account day whose report ends a proposal by itself, because that day has numbers of its own; undefined where the
 * proposal's time is over before.
 */
export function endingDay(proposal: {
  readonly accountDay: CivilDate;
  readonly expiresAt: string;
}): CivilDate | undefined {
  return proposal.expiresAt.slice(0, 10) <= proposal.accountDay ? undefined : addDays(proposal.accountDay, 1);
}
