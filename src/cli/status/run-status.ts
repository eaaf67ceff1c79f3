import { status } from '../../jobs/status.ts';
import { STATUS } from '../../views/status.ts';
import type { CommandApp } from '../command.ts';
import { listingIn } from '../print-listing.ts';
import type { StatusOptions } from './status-command.ts';

export async function runStatus(app: CommandApp, { format }: StatusOptions): Promise<void> {
  const { settings, output, redact } = app;
  const found = await status(settings, app);
  output.stdout.write(redact(listingIn(format, STATUS, found, output)));
}
