import fc from 'fast-check';

/** Which random histories a property is checked by. */
export interface Histories {
  /** The test file below this folder, for who wants to see a failure again. */
  readonly file: string;
  readonly seed: number;
  readonly numRuns: number;
  /** Only those with these numbers, where it is given: the first of a seed has the number 0. */
  readonly chosen: readonly number[] | undefined;
}

/** Throws at the first history that breaks the property, made as small as it goes. */
export async function checkHistories<Values>(
  property: fc.IAsyncProperty<Values>,
  { file, seed, numRuns, chosen }: Histories,
): Promise<void> {
  const { PACEKEEPER_PATH } = process.env;
  const oneByOne = chosen?.map((number) => ({ seed, numRuns: 1, path: `${number}` }));
  const replayed = PACEKEEPER_PATH === undefined ? undefined : [{ seed, numRuns, path: PACEKEEPER_PATH }];
  for (const parameters of replayed ?? oneByOne ?? [{ seed, numRuns }]) {
    const details = await fc.check(property, parameters);
    if (!details.failed) continue;
    const again = `PACEKEEPER_SEED=${details.seed} PACEKEEPER_PATH=${details.counterexamplePath}`;
    const wrong = details.errorInstance instanceof Error ? (details.errorInstance.stack ?? '') : '';
    const replay = `To replay: ${again} npm test -- test/simulation/${file}`;
    throw new Error(`${await fc.asyncDefaultReportMessage(details)}\n${wrong}\n${replay}`);
  }
}
