import type { ScheduledJob } from '../../config/settings.ts';
import { unreachable } from '../../domain/errors.ts';
import { type CommonOptions, pathArgs } from '../common-options.ts';

/** So long a job waits for who works on the data folder, such as a report that somebody has started. */
const WAIT = ['--wait', '30m'];

/** The command line that a job of the schedule is. */
export function jobArgs({ job, options }: ScheduledJob, paths: CommonOptions): string[] {
  const places = pathArgs(paths);
  const chosen = [
    ...(options.query ?? []).flatMap((name) => ['--query', name]),
    ...(options.customer ?? []).flatMap((id) => ['--customer', id]),
  ];
  switch (job) {
    case 'report': {
      const flags = [...(options.dry_run ? ['--dry-run'] : []), ...(options.no_extract ? ['--no-extract'] : [])];
      return ['report', ...places, ...WAIT, ...flags, ...chosen];
    }
    case 'extract':
      return ['extract', ...places, ...WAIT, ...(options.resume ? ['--resume'] : []), ...chosen];
    case 'publish': {
      const { to, dir } = options;
      // A folder's name may begin as an option does.
      const target = to === undefined || dir === undefined ? [] : ['--to', to, '--', dir];
      return ['publish', ...places, ...WAIT, ...target];
    }
    case 'deliver':
      return ['alerts', 'deliver', ...places];
    default:
      return unreachable(job);
  }
}
