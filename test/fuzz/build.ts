import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { instrument } from './instrument.ts';

const SOURCES = /[\\/]src[\\/].*\.ts$/;

/** Builds the fuzzer into dist/fuzz; the program under test with a counter at every place where its flow divides. */
let places = 0;
const common = { bundle: true, platform: 'node', target: 'node22.14', format: 'esm', packages: 'external' } as const;
await build({
  ...common,
  entryPoints: ['test/fuzz/run.ts'],
  outdir: 'dist/fuzz',
  logLevel: 'warning',
  sourcemap: true,
});
await build({
  ...{ ...common, entryPoints: ['test/fuzz/worker.ts'], outdir: 'dist/fuzz', logLevel: 'warning', sourcemap: true },
  // Large enough for the program, whose places are counted while it is built.
  banner: { js: 'globalThis.passed = new Uint8Array(1 << 16);' },
  plugins: [
    {
      name: 'count-places',
      setup({ onLoad }) {
        onLoad({ filter: SOURCES }, ({ path }) => {
          const contents = instrument(path, readFileSync(path, 'utf8'), () => places++);
          return { contents, loader: 'ts' };
        });
      },
    },
  ],
});
if (places > 1 << 16) throw new RangeError(`The program has ${places} places, more than there are counters.`);
