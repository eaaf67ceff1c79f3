import { silenceMatches } from '../../alerts/silence-matches.ts';
import { InputError } from '../../domain/errors.ts';
import { acknowledgeRows, lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { personOf } from '../cli/person.ts';
import type { AcknowledgeOptions } from './alerts-command.ts';

/** Works during a run, because no run lock is needed. */
export async function runAcknowledge(app: CommandApp<'state'>, options: AcknowledgeOptions): Promise<void> {
  const { customer: customerId, severity, rule, all } = options;
  if (customerId === undefined && severity === undefined && rule === undefined && !all) {
    throw new InputError('No alerts selected: add --rule, --customer, --severity or --all.', {
      nextStep: 'Run pacekeeper alerts list to see the alerts that were not delivered.',
    });
  }
  const by = personOf(options, app);
  const known = await app.open(({ state, clock }) =>
    state.db.transaction().execute(async (trx) => {
      const known = (await lostRows(trx)).filter((row) => silenceMatches({ customerId, severity, rule }, row));
      await acknowledgeRows(
        trx,
        known.map(({ id }) => id),
        by,
        clock.now(),
      );
      return known.length;
    }),
  );
  app.output.stdout.write(`${count(known, 'alert')} acknowledged.\n`);
}
