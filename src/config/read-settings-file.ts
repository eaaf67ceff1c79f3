import { readFileSync } from 'node:fs';
import { InputError } from '../domain/errors.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { hideValues, SETTINGS_QUOTING } from './hide-values.ts';
import { type SettingsFile, settingsSchema } from './settings-schema.ts';

/** The file's settings. Throws `InputError` with every mistake and its place; values that may be secret are hidden. */
export function readSettingsFile(path: string): SettingsFile {
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
  const reading = readYaml(source, settingsSchema, SETTINGS_QUOTING);
  if (reading.kind === 'ok') return reading.value;
  throw new InputError(`The configuration ${path} cannot be used.`, {
    nextStep: 'Correct the places above; docs/configuration.md lists every setting. No request was sent.',
    findings: [{ file: path, source: hideValues(source), diagnostics: reading.diagnostics }],
  });
}
