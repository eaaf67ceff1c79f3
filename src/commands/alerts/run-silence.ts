import { silenceMatches } from '../../alerts/silence-matches.ts';
import type { StateApp } from '../../app.ts';
import type { CommandApp } from '../../cli/command.ts';
import { personOf, reasonOf } from '../../cli/person.ts';
import { jsonOrText } from '../../cli/print-listing.ts';
import type { Process } from '../../cli/process.ts';
import { InputError } from '../../domain/errors.ts';
import { unknownInSilence } from '../../pipeline/accounts/unknown-names.ts';
import { firingAlerts } from '../../store/alerts/alert-table.ts';
import { endSilence, insertSilence, type Silence } from '../../store/alerts/silence-table.ts';
import { count } from '../../text/text-layout.ts';
import { SILENCE_COLUMNS, scopeOf } from '../../views/alerts-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { SilenceOptions } from './alerts-command.ts';

/** Needs no run lock, so it works during a run. */
export async function runSilence(app: CommandApp<'state'>, options: SilenceOptions): Promise<void> {
  const act = options.end === undefined ? begin(options, app) : end(options.end, options, app);
  const { silence, sentences } = await app.open(act);
  const shown = { ...silence, isOver: silence.endedAt !== undefined };
  app.output.stdout.write(jsonOrText(options.format, jsonObject(SILENCE_COLUMNS, shown), sentences.join('\n')));
}

type Act = (app: StateApp) => Promise<{ readonly silence: Silence; readonly sentences: readonly string[] }>;

function begin(options: SilenceOptions, process: Process): Act {
  const { customer, severity } = options;
  const rule = options.rule?.trim();
  if (rule === '') refuse('The rule has no name.');
  if (customer === undefined && rule === undefined && severity === undefined && !options.all) {
    refuse('Nothing says which alerts: name --rule, --customer or --severity, or say --all.');
  }
  const forMs = options.for ?? refuse('Nothing says how long: add --for 2h.');
  const why = reasonOf(options) ?? refuse('Nothing says why: add --why "the shop is closed".');
  const createdBy = personOf(options, process);
  return async (app) => {
    const { db } = app.state;
    const nowMs = app.clock.now();
    const wanted = { customerId: customer, rule, severity, createdBy, why, expiresAtMs: nowMs + forMs };
    const silence = await insertSilence(db, wanted, nowMs);
    const firing = (await firingAlerts(db, 'condition')).filter((alert) => silenceMatches(silence, alert)).length;
    for (const unknown of await unknownInSilence(app, silence)) app.log.warn(unknown);
    const scope = scopeOf(silence);
    const nobody = scope === 'everything' ? 'no alert is told' : `nobody is told of ${scope}`;
    const now =
      firing === 0
        ? 'Nothing that fires now is of it.'
        : `${count(firing, 'condition')} of it ${firing === 1 ? 'fires' : 'fire'} now.`;
    return { silence, sentences: [`S${silence.id}: ${nobody} until ${silence.expiresAt}.`, now] };
  };
}

function end(id: bigint, options: SilenceOptions, process: Process): Act {
  const by = personOf(options, process);
  return async ({ state: { db }, clock }) => {
    const silence = await endSilence(db, id, by, clock.now());
    if (silence) {
      return { silence, sentences: [`S${silence.id} is over: people are told of ${scopeOf(silence)} again.`] };
    }
    throw new InputError(`There is no silence S${id} that holds now.`, {
      nextStep: 'pacekeeper alerts list shows those that hold.',
    });
  };
}

function refuse(problem: string): never {
  throw new InputError(problem, { nextStep: 'pacekeeper alerts silence --help shows an example.' });
}
