import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usableChannels } from '../../alerts/delivery-pass.ts';
import { RECIPIENT_ADDRESSES } from '../../channels/channels.ts';
import type { Settings } from '../../config/settings.ts';
import { mailReports } from '../../dashboard/report/mail-reports.ts';
import { InputError } from '../../domain/errors.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import type { Afterwards } from '../../engine/recorded-run.ts';
import { report } from '../../engine/report.ts';
import { leftAsItWas } from '../../storage/files/replace-file.ts';
import { accountMonths } from '../../views/report/account-months.ts';
import { needText } from '../../views/report/needs-you.ts';
import { renderReportSummary } from '../../views/report/render-summary.ts';
import { renderReportText } from '../../views/report/render-text.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { shownPath } from '../cli/shown-path.ts';
import { tellRun } from '../cli/tell-run.ts';
import type { ReportOptions } from './report-command.ts';
import type { WrittenPage } from './write-report-page.ts';

export async function runReport(app: CommandApp<'all'>, options: ReportOptions): Promise<number> {
  const { folder, settings, output } = app;
  const { mailTo } = options;
  if (mailTo !== undefined) checkMail(mailTo, options);
  const inputs = await chooseInputs(app, options);
  const { customer: customers = [], dryRun = false, extract, query = [], format, verbose } = options;
  let written: Omit<WrittenPage, 'facts'> | undefined;
  const afterwards: Afterwards = async (opened) => {
    if (opened.stop.aborted) return { failure: unwrittenByStop(settings), stopped: true };
    const { writeReportPage } = await import('./write-report-page.ts');
    const { facts, ...page } = await writeReportPage(opened);
    written = page;
    const standing = facts && { months: accountMonths(facts), needs: facts.needs.map(needText) };
    const byHand = mailTo === undefined ? undefined : { to: mailTo, customers };
    const unmailed = dryRun ? [] : await mailReports(opened, byHand);
    const failures = [...(page.failure === undefined ? [] : [opened.redact(page.failure)]), ...unmailed];
    return { ...standing, failure: failures.length === 0 ? undefined : failures.join(' ') };
  };
  const named = query.length > 0;
  const result = await app.open((opened) => {
    if (mailTo !== undefined && !usableChannels(opened).includes('email')) {
      throw new InputError('No mail can be sent: --mail-to needs EMAIL_URL and EMAIL_FROM.', {
        nextStep: 'Set the names under "email" in docs/configuration.md.',
      });
    }
    return report(opened, inputs, { customers, dryRun, noExtract: !extract, named, afterwards });
  });
  const code = tellRun(app, format, result, verbose ? renderReportText : renderReportSummary);
  const page = written?.page;
  if (format === 'html' && written !== undefined && page !== undefined) {
    output.stdout.write(output.stdout.isTTY === true ? `${written.path}\n` : page);
  }
  if (format === 'table' && written !== undefined && written.failure === undefined) {
    const warehouse = warehousePath(settings.paths.data);
    const toQuery = existsSync(warehouse) ? ` Tables for SQL: ${shownPath(folder, warehouse)}.` : '';
    output.stdout.write(`Report page: ${shownPath(folder, written.path)}.${toQuery}\n`);
  }
  return code;
}

function checkMail(mailTo: string, { dryRun }: ReportOptions): void {
  if (!RECIPIENT_ADDRESSES.email.safeParse(mailTo).success) {
    throw new InputError('--mail-to has no mail address, expected one such as anna@example.com.');
  }
  if (dryRun) throw new InputError('A dry run sends nothing: expected --mail-to or --dry-run, found both.');
}

function unwrittenByStop({ paths }: Settings): string {
  return `report.html ${leftAsItWas(join(paths.data, 'report.html'))}, because ${ASKED_TO_STOP}.`;
}
