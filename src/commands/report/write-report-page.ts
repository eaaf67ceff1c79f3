import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gatherReport } from '../../dashboard/report/gather-report.ts';
import { reportDocument } from '../../dashboard/report/report-page.ts';
import type { StateApp } from '../../engine/app.ts';
import { leftAsItWas, replaceText } from '../../storage/files/replace-file.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';

export interface WrittenPage {
  readonly path: string;
  readonly page: string | undefined;
  readonly facts: ReportFacts | undefined;
  readonly failure: string | undefined;
}

export async function writeReportPage(app: StateApp): Promise<WrittenPage> {
  const { data } = app.settings.paths;
  const path = join(data, 'report.html');
  let page: string | undefined;
  let facts: ReportFacts | undefined;
  try {
    facts = await gatherReport(app);
    const made = reportDocument(facts);
    page = made;
    mkdirSync(data, { recursive: true, mode: 0o755 });
    replaceText(path, () => made);
    return { path, page, facts, failure: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { path, page, facts, failure: `report.html could not be written and ${leftAsItWas(path)}: ${reason}.` };
  }
}
