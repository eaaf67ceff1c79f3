import { silenceMatches } from '../../alerts/silence-matches.ts';
import { InputError } from '../../domain/errors.ts';
import { unknownInSilence } from '../../engine/accounts/unknown-names.ts';
import type { StateApp } from '../../engine/app.ts';
import { firingAlerts } from '../../storage/records/alerts/alert-table.ts';
import { endSilence, insertSilence, type Silence } from '../../storage/records/alerts/silence-table.ts';
import { SILENCE_COLUMNS, scopeOf } from '../../views/alerts-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { personOf, reasonOf } from '../cli/person.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import type { SilenceOptions } from './alerts-command.ts';

/** Works during a run, because no run lock is needed. */
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
  if (rule === '') refuse('--rule is empty, expected the name of a rule.');
  if (customer === undefined && rule === undefined && severity === undefined && !options.all) {
    refuse('No alerts selected: add --rule, --customer, --severity or --all.');
  }
  const forMs = options.for ?? refuse('No duration given: add --for 2h.');
  const why = reasonOf(options) ?? refuse('No reason given: add --why "the shop is closed".');
  const createdBy = personOf(options, process);
  return async (app) => {
    const { db } = app.state;
    const nowMs = app.clock.now();
    const wanted = { customerId: customer, rule, severity, createdBy, why, expiresAtMs: nowMs + forMs };
    const silence = await insertSilence(db, wanted, nowMs);
    const firing = (await firingAlerts(db, 'condition')).filter((alert) => silenceMatches(silence, alert)).length;
    for (const unknown of await unknownInSilence(app, silence)) app.log.warn(unknown);
    const now =
      firing === 0
        ? 'No condition in its scope fires now.'
        : `It covers ${count(firing, 'condition that fires', 'conditions that fire')} now.`;
    return { silence, sentences: [`S${silence.id} silences ${scopeOf(silence)} until ${silence.expiresAt}.`, now] };
  };
}

function end(id: bigint, options: SilenceOptions, process: Process): Act {
  const by = personOf(options, process);
  return async ({ state: { db }, clock }) => {
    const silence = await endSilence(db, id, by, clock.now());
    if (silence) {
      return { silence, sentences: [`S${silence.id} has ended. It silenced ${scopeOf(silence)}.`] };
    }
    throw new InputError(`No active silence S${id}.`, {
      nextStep: 'Run pacekeeper alerts list to see the active silences.',
    });
  };
}

function refuse(problem: string): never {
  throw new InputError(problem, { nextStep: 'Run pacekeeper alerts silence --help for an example.' });
}
