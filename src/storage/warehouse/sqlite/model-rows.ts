import type { Member } from '../../../domain/member.ts';
import type { ModelLimits } from '../models/model-failure.ts';
import { onceBeyondLimits } from '../models/once-beyond-limits.ts';
import type { ModelRows } from '../store.ts';
import { ModelProcess } from './model-process.ts';
import { IN_ONE_DAY } from './rows-of-rules.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';

/** In a process of its own, because nothing else can interrupt SQLite. The server of the other engine interrupts by itself. */
export function modelRows(statePath: string, limits: ModelLimits): ModelRows {
  const process = new ModelProcess(statePath, limits);
  let last: Promise<unknown> = Promise.resolve();
  const compute = onceBeyondLimits(({ name, select }, customer, demand) => {
    const sql = select(SQLITE_NAMES);
    const oneDaySql = select(SQLITE_NAMES, IN_ONE_DAY);
    return process.compute<readonly Member[]>({ kind: 'members', name, sql, oneDaySql, customer, demand });
  });
  return {
    members(model, customer, demand) {
      // One after the other, so that the time limit counts no waiting.
      const members = last.then(() => compute(model, customer, demand));
      last = members.catch(() => undefined);
      return members;
    },
    close: () => process.close(),
  };
}
