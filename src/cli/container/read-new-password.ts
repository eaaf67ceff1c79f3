import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { lackedByPassword } from '../../apis/container/new-password.ts';
import type { Environment } from '../../config/environment.ts';
import { InputError } from '../../domain/errors.ts';
import { listed } from '../../report/text-layout.ts';

/**
 * The new password from the environment name or the file, a line break at its end apart. Throws `InputError` for one that
 * the container would refuse, before anything is sent.
 */
export function readNewPassword(name: string, folder: string, environment: Environment, current: string): string {
  const password = environment[name] ?? readFrom(resolve(folder, name), name);
  const lacked = lackedByPassword(password);
  if (lacked.length > 0) {
    throw new InputError(`The new password in ${name} lacks ${listed(lacked)}.`, {
      nextStep: 'Choose another one. No request was sent.',
    });
  }
  if (password !== current) return password;
  throw new InputError(`The new password in ${name} is the one that CONTAINER_PASSWORD holds already.`, {
    nextStep: 'Leave CONTAINER_PASSWORD as the first password until the new one is set.',
  });
}

function readFrom(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    // Whoever writes the password itself there must not find it repeated.
    const shown = /^[\w./-]{1,80}$/.test(name) && lackedByPassword(name).length > 0 ? name : 'what was named';
    throw new InputError(`There is no environment name and no readable file that is ${shown}.`, {
      nextStep: 'Name an environment name, or a file that holds the new password and nothing else.',
      cause,
    });
  }
}
