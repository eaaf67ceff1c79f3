import type { App } from './app.ts';
import type { SharedWork } from './queue/shared-work.ts';

/** `work` gets undefined if no workers share the work. */
export async function withWorkers<Value>(
  { shareWork }: Pick<App, 'shareWork'>,
  runId: bigint,
  accounts: readonly unknown[],
  work: (shared: SharedWork | undefined) => Promise<Value>,
): Promise<Value> {
  const shared = accounts.length > 1 ? await shareWork?.(runId) : undefined;
  try {
    return await work(shared);
  } finally {
    await shared?.end();
  }
}
