import { rmSync } from 'node:fs';
import type { GeneratedResponse, Measurement } from './measurement.ts';
import { runChild } from './run-child.ts';
import { extractOnce, runRounds } from './run-rounds.ts';
import { type Summary, sumUpRounds } from './sum-up-rounds.ts';

export interface ExtractionOptions {
  readonly runs: number;
  readonly rows: number;
  /** Rows of the response that is read once, for the memory. */
  readonly memoryRows: number;
}

/**
 * Measures extraction against the baseline. The response of `rows` stays in the temporary folder for the next time;
 * everything else is made in `folder` or removed.
 */
export async function benchExtraction(folder: string, { runs, rows, memoryRows }: ExtractionOptions): Promise<Summary> {
  const response = await generate(rows);
  const rounds = await runRounds(folder, response, runs);
  const memory = await measureMemory(folder, response, memoryRows === rows ? undefined : memoryRows);
  return sumUpRounds(rounds, { rows, bytes: response.bytes, memoryRows, memory });
}

async function generate(count: number): Promise<GeneratedResponse> {
  process.stderr.write(`response of ${count} rows\n`);
  return runChild<GeneratedResponse>('generate-response', String(count));
}

/** The large response takes gigabytes, so it does not stay. */
async function measureMemory(
  folder: string,
  usual: GeneratedResponse,
  memoryRows: number | undefined,
): Promise<Measurement> {
  const large = memoryRows === undefined ? usual : await generate(memoryRows);
  try {
    return await extractOnce(folder, large);
  } finally {
    if (large !== usual) for (const file of [large.file, `${large.file}.totals`]) rmSync(file);
  }
}
