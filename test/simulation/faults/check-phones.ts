import { checkAlerts } from './check-alerts.ts';
import { checkQuiet } from './check-quiet.ts';
import { checkDoubled } from './check-told.ts';
import type { TakenMessage } from './phone-service.ts';
import type { FaultWorld } from './world.ts';

/** What must never be on a phone. */
export function checkPhones(world: FaultWorld): string[] {
  return [
    ...checkDoubled(world),
    ...checkQuiet(world),
    ...checkAlerts(world),
    ...withSecrets(world, world.phones.taken),
    ...criticalLate(world, world.phones.taken),
  ];
}

function withSecrets({ product }: FaultWorld, taken: readonly TakenMessage[]): string[] {
  return taken
    .filter(({ body }) => product.secrets.some((secret) => body.includes(secret)))
    .map(({ to }) => `a message to ${to} holds a secret`);
}

/** In a message, what is critical and not over comes before everything else. */
function criticalLate(world: FaultWorld, taken: readonly TakenMessage[]): string[] {
  const rows = world.rows<Row>('SELECT channel, recipient, text, severity, reason FROM outbox');
  return taken.flatMap(({ channel, to, body }) => {
    const lines = body.split('\n');
    const own = rows
      .filter((row) => row.channel === channel && row.recipient === to)
      .map(({ text, severity, reason }) => ({
        at: lines.indexOf(text.split('\n', 1)[0] ?? ''),
        critical: severity === 'critical' && reason !== 'resolved',
      }))
      .filter(({ at }) => at >= 0);
    const last = Math.max(...own.filter(({ critical }) => critical).map(({ at }) => at));
    const first = Math.min(...own.filter(({ critical }) => !critical).map(({ at }) => at));
    return last > first ? [`a message to ${to} tells something else before what is critical: ${body}`] : [];
  });
}

interface Row {
  readonly channel: string;
  readonly recipient: string | null;
  readonly text: string;
  readonly severity: string;
  readonly reason: string;
}
