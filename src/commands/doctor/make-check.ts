import { isTimeZone } from '../../domain/civil-date.ts';
import type { Check } from './doctor-view.ts';

type Found = Pick<Check, 'found' | 'expected'>;
type Advised = Found & { readonly nextStep: string };

export function checksOf(part: Check['part']) {
  const make = (name: string, state: Check['state'], found: Found | Advised): Check => ({
    part,
    name,
    state,
    nextStep: undefined,
    ...found,
  });
  return {
    ok: (name: string, found: Found) => make(name, 'ok', found),
    warning: (name: string, found: Advised) => make(name, 'warning', found),
    missing: (name: string, found: Advised) => make(name, 'missing', found),
    failed: (name: string, found: Advised) => make(name, 'failed', found),
  };
}

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
