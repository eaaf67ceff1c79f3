import { InputError } from '../../domain/errors.ts';
import { REASON_LENGTH_MAX, recordLine } from '../../domain/outside-text.ts';
import type { Process } from './process.ts';
import { needed, option, type Taken } from './takes.ts';

const NAME_LENGTH_MAX = 80;

export const PERSON = {
  by: option('<name>', 'your name for the audit trail (default: your login name)'),
  why: option('<reason>', 'the reason for the audit trail'),
};

export const PERSON_WITH_REASON = { by: PERSON.by, why: needed(PERSON.why) };

export type PersonOptions = Taken<typeof PERSON>;

/** Throws `InputError` if no name is known. */
export function personOf({ by }: Pick<PersonOptions, 'by'>, { userName }: Process): string {
  const name = readLine('--by', by ?? userName ?? '', NAME_LENGTH_MAX);
  if (name !== undefined) return name;
  throw new InputError('No name is known for the audit trail.', {
    nextStep: 'Set your name with --by NAME.',
  });
}

/** Undefined without `--why`. Throws `InputError` for an empty reason. */
export function reasonOf({ why }: Pick<PersonOptions, 'why'>): string | undefined {
  if (why === undefined) return undefined;
  const reason = readLine('--why', why, REASON_LENGTH_MAX);
  if (reason !== undefined) return reason;
  throw new InputError('The reason is empty. The audit trail needs one.', {
    nextStep: 'Write a reason: --why "budget review".',
  });
}

export interface NamedActor {
  readonly by: string;
  readonly why: string | undefined;
}

export function actorOf(options: PersonOptions, process: Process): NamedActor {
  return { by: personOf(options, process), why: reasonOf(options) };
}

function readLine(option: string, text: string, lengthMax: number): string | undefined {
  const line = recordLine(text);
  if (line.length > lengthMax) {
    throw new InputError(`${option} is too long: found ${line.length} characters, expected at most ${lengthMax}.`, {
      nextStep: `Write a shorter text after ${option}.`,
    });
  }
  return line === '' ? undefined : line;
}
