import { writeFileSync } from 'node:fs';

/**
 * `node --import note-memory-child.js PROGRAM`: leaves the program's own largest resident set, in KiB, in the file that
 * BENCH_MEMORY names. The program itself knows nothing of it.
 */
const file = process.env.BENCH_MEMORY;
process.once('exit', () => {
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
