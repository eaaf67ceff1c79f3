import { scheduleHealth } from '../../jobs/schedule-facts.ts';
import { type StatusDeps, statusMeasures, statusPage } from '../../jobs/status-page.ts';
import type { PageSource } from '../../server/page-source.ts';

/** Pages without a thread of their own: where the program is not built, and there is nobody to keep waiting. */
export function pagesOfThisThread(deps: StatusDeps): PageSource {
  return {
    render: (request) => statusPage(deps, request),
    measure: () => statusMeasures(deps),
    schedule: async () => scheduleHealth(deps),
    close: async () => undefined,
  };
}
