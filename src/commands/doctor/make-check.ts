import { isTimeZone } from '../../domain/civil-date.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import type { Check } from './doctor-view.ts';

const { ok, failed } = checksOf('program');

/** Sample zones. Node with incomplete ICU data may lack them. */
const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago'];

export function checkProgram(): Check[] {
  const unknown = ZONES.filter((zone) => !isTimeZone(zone));
  const zones = { expected: 'all time zones of the world' };
  if (unknown.length === 0) return [ok('time zones', { ...zones, found: 'known' })];
  return [
    failed('time zones', {
      ...zones,
      found: `${unknown.join(', ')} not known`,
      nextStep: 'Install Node from nodejs.org, which has full language data (full-icu).',
    }),
  ];
}
