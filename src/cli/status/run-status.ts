import { status } from '../../jobs/status.ts';
import { renderStatus, renderStatusJson, runRows } from '../../report/render-status.ts';
import type { CommandApp } from '../command.ts';
import { listingText } from '../print-listing.ts';
import type { StatusOptions } from './status-command.ts';

export async function runStatus(app: CommandApp, { format }: StatusOptions): Promise<void> {
  const { settings, output, redact } = app;
  const found = await status(settings, app);
  const text = listingText(output, format, 'status', {
    table: (layout) => renderStatus(found, layout),
    json: () => renderStatusJson(found),
    rows: () => runRows(found.work),
  });
  output.stdout.write(redact(text));
}
