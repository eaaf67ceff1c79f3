import { cpus, totalmem } from 'node:os';

/** Absolute figures mean nothing without it. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${model}, ${memoryGiB} GiB, ${process.platform} ${process.arch}, Node ${process.version}`;
}
