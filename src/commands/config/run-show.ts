import { effectiveSettings } from '../../config/effective-settings.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { ShowOptions } from './config-command.ts';
import { CONFIG_SHOW } from './config-view.ts';

export async function runShow(app: CommandApp, { all = false, format }: ShowOptions): Promise<void> {
  const { folder, env, output, redact } = app;
  const { paths, notes } = app.settings;
  const settings = effectiveSettings(folder, paths.config, env, all);
  // Redacts once more, because a shown setting can contain a secret by mistake.
  output.stdout.write(redact(listingIn(format, CONFIG_SHOW, { settings, notes }, output)));
}
