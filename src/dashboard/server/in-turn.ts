/** Runs one job at a time. Returns undefined if too many jobs wait. */
export function inTurn(waitingMax: number) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <Value>(job: () => Promise<Value>): Promise<Value | undefined> => {
    if (waiting >= waitingMax) return undefined;
    waiting += 1;
    const done = last.then(job).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
