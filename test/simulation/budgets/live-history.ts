import { findUnsettled, findWrong } from './check-state.ts';
import { HistoryWorld } from './history-world.ts';
import type { SharedService } from './service.ts';
import { type History, NO_TROUBLE } from './steps.ts';
import { runReport, type Standing, takeStep } from './take-step.ts';

/** What a history came to, for those who want to know what many of them have covered. */
export interface Lived {
  /** The kinds of events that were written down. */
  readonly kinds: readonly string[];
  /** The crash points at which a process ended. */
  readonly crashes: readonly string[];
}

/** Lives through a history and throws at the first thing that must never be, with all that happened until then. */
export async function liveThrough(service: SharedService, history: History): Promise<Lived> {
  const world = await HistoryWorld.begin(service, history);
  const log: string[] = [];
  const standing: Standing = { mode: 'apply', rules: [CALM] };
  try {
    for (const step of history.steps) {
      log.push(`${step.kind}: ${await takeStep(world, standing, step)}`);
      refuse(await findWrong(world));
    }
    await world.unfreeze();
    // Changes of others are looked for where a rule concerns the account.
    const atTheEnd: Standing = { mode: 'apply', rules: [...standing.rules, CALM] };
    // One reading may be old, and one of an hour later may be the first to show what another has set.
    for (const time of ['first', 'second', 'third']) {
      await takeStep(world, standing, { kind: 'wait', minutes: 61 });
      log.push(`at the end, for the ${time} time: ${await runReport(world, atTheEnd, NO_TROUBLE)}`);
    }
    refuse([...(await findWrong(world)), ...findUnsettled(world)]);
    const kinds = world.rows<{ kind: string }>('SELECT DISTINCT kind FROM budget_event').map(({ kind }) => kind);
    return { kinds, crashes: world.crashes };
  } catch (cause) {
    const wrong = cause instanceof Error ? cause.message : String(cause);
    throw new Error([wrong, 'What happened:', ...log].join('\n  '), { cause });
  } finally {
    world.end();
  }
}

function refuse(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
}

/** One that concerns every account and changes nothing. */
const CALM = {
  for: 'campaign',
  currency: undefined,
  leastClicks: 1_000_000,
  change: 'decrease budget by 15%',
  floor: undefined,
  ceiling: undefined,
  stepPercent: undefined,
  cooldownDays: undefined,
  drift: undefined,
  mode: 'propose',
} as const;
