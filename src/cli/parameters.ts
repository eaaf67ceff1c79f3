import { loadCatalogue } from '../config/load-catalogue.ts';
import type { Settings } from '../config/settings.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import type { Clock } from '../domain/clock.ts';
import { InputError } from '../domain/errors.ts';
import type { CheckContext } from '../gaql/check/check-query.ts';
import { CALENDAR_NAMES, isCalendarName } from '../gaql/check/date-mark.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import type { FileFindings } from '../jobs/load-inputs.ts';
import type { ParameterOption } from './common-options.ts';

/**
 * What query files are judged by. Parameters of the command line take the place of those of the settings. Throws
 * `InputError` for a parameter that is named like a day of the calendar.
 */
export function checkContext(
  settings: Pick<Settings, 'catalogue' | 'parameters'>,
  given: readonly ParameterOption[],
  clock: Clock,
): CheckContext {
  const parameters = new Map(settings.parameters);
  for (const { name } of given) {
    if (isCalendarName(name)) {
      throw new InputError(`:${name} is a day of the account's calendar and cannot be given.`, {
        nextStep: `Choose a name that is none of ${CALENDAR_NAMES.join(', ')}.`,
      });
    }
    parameters.set(name, []);
  }
  for (const { name, value } of given) parameters.set(name, [...(parameters.get(name) ?? []), value]);
  const today = civilDateAt(clock.now(), 'UTC');
  return { catalogue: loadCatalogue(settings.catalogue), today, parameters };
}

/** Throws `InputError` for a parameter of the command line that no query has: it is most likely misspelt. */
export function refuseUnusedParameters(given: readonly ParameterOption[], files: readonly FileFindings[]): void {
  const used = new Set(files.flatMap(({ query }) => query?.parameters ?? []));
  const unused = given.find(({ name }) => !used.has(name));
  if (!unused || files.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'))) return;
  throw new InputError(`No query has the parameter :${unused.name}.`, {
    nextStep: didYouMean(unused.name, used) ?? 'Take --param away, or write the parameter in a query.',
  });
}
