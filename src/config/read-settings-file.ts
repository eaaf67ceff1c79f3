import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { InputError } from '../domain/errors.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { hideValues, SETTINGS_QUOTING } from './hide-values.ts';
import type { ScheduleProblem } from './read-schedule.ts';
import { type SettingsFile, settingsSchema } from './settings-schema.ts';

/** What looks at the schedule as it is written; loading it costs more than most commands need. */
export type ScheduleCheck = (written: unknown) => readonly ScheduleProblem[];

/** The file's settings. Throws `InputError` with every mistake and its place; values that may be secret are hidden. */
export function readSettingsFile(path: string, checkSchedule?: ScheduleCheck): SettingsFile {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new InputError(
      `The configuration ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}.`,
      {
        nextStep: 'Name an existing file with --config, or leave the option out.',
        cause,
      },
    );
  }
  return parseSettings(path, source, checkSchedule);
}

/** As {@link readSettingsFile}, of a text that stands in no file yet. */
export function parseSettings(path: string, source: string, checkSchedule?: ScheduleCheck): SettingsFile {
  const reading = readYaml(source, settingsSchema, SETTINGS_QUOTING);
  const wrong = reading.kind === 'ok' ? [] : reading.diagnostics;
  const found = [...wrong, ...(checkSchedule === undefined ? [] : scheduleFindings(source, checkSchedule))];
  if (reading.kind === 'ok' && found.length === 0) return reading.value;
  const diagnostics = found.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
  throw new InputError(`The configuration ${path} cannot be used.`, {
    nextStep: 'Correct the places above; docs/configuration.md lists every setting. No request was sent.',
    findings: [{ file: path, source: hideValues(source), diagnostics }],
  });
}

/** Read anew without the schema, so that they are told also where something else in the file is wrong. */
function scheduleFindings(source: string, checkSchedule: ScheduleCheck): Diagnostic[] {
  const reading = readYaml(source, z.looseObject({ schedule: z.unknown() }), SETTINGS_QUOTING);
  if (reading.kind !== 'ok') return [];
  return checkSchedule(reading.value.schedule).map(({ path, message }) => ({
    ...{ code: 'BAD_VALUE', severity: 'error', message },
    span: reading.places.spanOf(path),
  }));
}
