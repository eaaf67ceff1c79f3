import { rational } from '../domain/rational.ts';
import type { AgentLimits } from './declared/agents.ts';
import type { Problem } from './given.ts';
import type { DeclaredSettings } from './settings.ts';

const MOVEMENT = rational(1n, 5n);
const KEYS = { floor: 'floor', ceiling: 'ceiling', step: 'step', cooldownDays: 'cooldown', drift: 'drift' } as const;

/** Undefined without limits. Then an agent can only read. */
export function agentLimits({ agents }: Pick<DeclaredSettings, 'agents'>): AgentLimits | undefined {
  const { floor, ceiling, step, cooldownDays, drift, currency } = agents.limits;
  if (floor === undefined || ceiling === undefined || step === undefined) return undefined;
  if (cooldownDays === undefined || drift === undefined) return undefined;
  return { floor, ceiling, step, cooldownDays, drift, currency, movement: agents.movementADay ?? MOVEMENT };
}

/** Some limits without the others would let an agent suggest without a bound. */
export function agentProblems({ agents: { limits } }: Pick<DeclaredSettings, 'agents'>): readonly Problem[] {
  const { floor, ceiling } = limits;
  const absent = Object.entries(KEYS).flatMap(([name, key]) =>
    limits[name as keyof typeof KEYS] === undefined ? [key] : [],
  );
  if (absent.length > 0 && absent.length < Object.keys(KEYS).length) {
    const says = `lacks ${absent.join(', ')}. Agents suggest only within all five limits, so write all or none.`;
    return [{ at: ['agents', 'limits'], says }];
  }
  if (floor === undefined || ceiling === undefined || floor <= ceiling) return [];
  return [{ at: ['agents', 'limits', 'floor'], says: 'is above the ceiling. Swap the two amounts.' }];
}
