import type { CommandApp } from '../command.ts';
import type { CommonOptions } from '../common-options.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

export async function runDeactivateFeatures({ settings, output }: CommandApp, options: CommonOptions): Promise<void> {
  const given = withSandboxStore(sandboxFile(settings, options), (store) => {
    store.setDone('features_deactivated');
    return store.isDone('permissions_revoked');
  });
  const effect = given
    ? 'Page tokens are given out from now on.'
    : 'Page tokens are given out once the permissions are revoked as well.';
  output.stdout.write(`The app's business features are deactivated. ${effect}\n`);
}
