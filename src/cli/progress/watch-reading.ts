import type { Progress } from '../../domain/progress.ts';
import { beginReading, type Reading } from './reading.ts';

/** Keeps count of what {@link Progress} is told, and has it shown after each change: `show` decides how often that is. */
export function watchReading(
  elapsedMs: () => number,
  shown: { show(reading: Reading, nowMs: number): void; end(reading: Reading, nowMs: number): void },
): Progress {
  let reading: Reading | undefined;
  const change = (apply: (reading: Reading) => void) => {
    if (reading === undefined) return;
    apply(reading);
    shown.show(reading, elapsedMs());
  };
  return {
    begin({ accounts, slices }) {
      reading = beginReading(accounts, slices, elapsedMs());
      shown.show(reading, elapsedMs());
    },
    account: (customerId, name, slices) =>
      change(({ open }) => {
        const [rows, slicesEnded] = [0, 0];
        open.set(customerId, { name, startedMs: elapsedMs(), slices, slicesEnded, rows, query: undefined });
      }),
    rows: (customerId, query, rows, bytes) =>
      change((all) => {
        all.rows += rows;
        all.bytes += bytes;
        const account = all.open.get(customerId);
        if (account) Object.assign(account, { rows: account.rows + rows, query });
      }),
    slices: (customerId, ended) =>
      change((all) => {
        const account = all.open.get(customerId);
        if (ended >= 0) all.slicesEnded += ended;
        else all.slicesAdded -= ended;
        if (account)
          Object.assign(
            account,
            ended >= 0 ? { slicesEnded: account.slicesEnded + ended } : { slices: account.slices - ended },
          );
      }),
    accountEnds: (customerId) =>
      change((all) => {
        all.open.delete(customerId);
        all.accountsEnded += 1;
      }),
    end() {
      if (reading !== undefined) shown.end(reading, elapsedMs());
      reading = undefined;
    },
  };
}
