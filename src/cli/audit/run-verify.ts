import { verifyAuditTrail, verifyOffline } from '../../jobs/verify-audit-trail.ts';
import { isProven, renderAudit, renderAuditJson } from '../../report/render-audit.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { VerifyOptions } from './audit-command.ts';

export async function runVerify(app: CommandApp<'all' | 'state'>, { head, format }: VerifyOptions): Promise<number> {
  const { output } = app;
  const found = await app.open((opened) =>
    'ads' in opened ? verifyAuditTrail(opened, head) : verifyOffline(opened, head),
  );
  output.stdout.write(format === 'json' ? `${renderAuditJson(found)}\n` : renderAudit(found, textLayout(output)));
  return isProven(found) ? EXIT.done : EXIT.failed;
}
