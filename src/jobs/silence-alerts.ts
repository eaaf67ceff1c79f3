import { silenceMatches } from '../alerts/silence-matches.ts';
import type { StateApp } from '../app.ts';
import { InputError } from '../domain/errors.ts';
import { firingAlerts } from '../store/alert-table.ts';
import { endSilence, insertSilence, type NewSilence, type Silence } from '../store/silence-table.ts';

export interface Silenced {
  readonly silence: Silence;
  /** How many conditions fire now of which nobody is told from now on. */
  readonly firing: number;
}

/** Keeps alerts from people for a while. What fires meanwhile and still does afterwards is told then. */
export async function silenceAlerts(
  { state: { db }, clock }: StateApp,
  { forMs, ...silence }: Omit<NewSilence, 'expiresAtMs'> & { readonly forMs: number },
): Promise<Silenced> {
  const nowMs = clock.now();
  const made = await insertSilence(db, { ...silence, expiresAtMs: nowMs + forMs }, nowMs);
  const firing = await firingAlerts(db, 'condition');
  return { silence: made, firing: firing.filter((alert) => silenceMatches(made, alert)).length };
}

/** Ends a silence before its time. Throws `InputError` for a number that there is not, or one that is over. */
export async function unsilenceAlerts({ state: { db }, clock }: StateApp, id: bigint, by: string): Promise<Silence> {
  const ended = await endSilence(db, id, by, clock.now());
  if (ended) return ended;
  throw new InputError(`There is no silence S${id} that holds now.`, {
    nextStep: 'pacekeeper alerts list shows those that hold.',
  });
}
