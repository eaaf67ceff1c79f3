import { isTimeZone } from '../../domain/civil-date.ts';
import type { Check } from '../../report/render-doctor.ts';
import { checksOf } from './make-check.ts';

const { ok, failed } = checksOf('Program');

/** What the program asks of Node, as package.json has it. */
const NODE_MIN = [20, 19] as const;

/** Zones of three kinds; a Node without full language data knows none of them, or not their rules. */
const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago'];

/** What everything else stands on. */
export function checkProgram(nodeVersion: string | undefined): Check[] {
  const [major = 0, minor = 0] = (nodeVersion ?? '').split('.').map(Number);
  const isNew = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  const node = { found: nodeVersion ?? 'not known', expected: `${NODE_MIN.join('.')} or newer` };
  const unknown = ZONES.filter((zone) => !isTimeZone(zone));
  const zones = { expected: 'the time zones of the world' };
  return [
    nodeVersion === undefined || isNew
      ? ok('Node', node)
      : failed('Node', { ...node, nextStep: 'Install a newer Node from https://nodejs.org.' }),
    unknown.length === 0
      ? ok('time zones', { ...zones, found: 'known' })
      : failed('time zones', {
          ...zones,
          found: `${unknown.join(', ')} not known`,
          nextStep: 'Install a Node with full language data (full-icu), as nodejs.org has it.',
        }),
  ];
}
