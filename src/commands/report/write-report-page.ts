import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StateApp } from '../../app.ts';
import { replaceText } from '../../files/replace-file.ts';
import { warehousePath } from '../../folder/forgotten-past.ts';
import { gatherReport } from '../../pages/report/gather-report.ts';
import { reportDocument } from '../../pages/report/report-page.ts';
import { leftAsItWas } from '../../pipeline/publish-files.ts';

export interface WrittenPage {
  readonly path: string;
  /** The path of the page. Undefined if the page could not be made. */
  readonly page: string | undefined;
  readonly failure: string | undefined;
}

export async function writeReportPage(app: StateApp): Promise<WrittenPage> {
  const { data } = app.settings.paths;
  const path = join(data, 'report.html');
  let page: string | undefined;
  try {
    const made = reportDocument(await gatherReport({ ...app, warehousePath: warehousePath(data) }));
    page = made;
    mkdirSync(data, { recursive: true, mode: 0o755 });
    replaceText(path, () => made);
    return { path, page, failure: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { path, page, failure: `report.html could not be written and ${leftAsItWas(path)}: ${reason}.` };
  }
}
