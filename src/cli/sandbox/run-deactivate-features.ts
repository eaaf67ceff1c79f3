import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

/** The sandbox deactivate-features command. Answers with the exit code. */
export async function runDeactivateFeatures(options: CommonOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const given = withSandboxStore(sandboxFile(settings, options), (store) => {
    store.setDone('features_deactivated');
    return store.isDone('permissions_revoked');
  });
  const effect = given
    ? 'Page tokens are given out from now on.'
    : 'Page tokens are given out once the permissions are revoked as well.';
  output.stdout.write(`The app's business features are deactivated. ${effect}\n`);
  return EXIT.done;
}
