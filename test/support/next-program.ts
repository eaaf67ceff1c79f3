import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Statement } from '../../src/storage/records/migrations.ts';
import { LATER } from './database-of-version.ts';

/** Builds the program of a later version, which has one more migration, in that folder. Returns its main file. */
export async function nextProgram(folder: string, ...more: readonly Statement[]): Promise<string> {
  const [name, statements] = Object.entries(LATER).at(-1) ?? ['', []];
  const step = JSON.stringify({ [name]: [...statements, ...more] });
  for (const shared of ['package.json', 'catalogue', 'node_modules', 'queries'])
    symlinkSync(resolve(shared), join(folder, shared));
  const outdir = join(folder, 'dist');
  mkdirSync(outdir);
  await build({
    entryPoints: ['src/main.ts', 'src/page-worker.ts', 'src/explore-process.ts'],
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node22.14',
    format: 'esm',
    external: ['better-sqlite3'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
    plugins: [
      {
        name: 'one more migration',
        setup: ({ onLoad }) =>
          onLoad({ filter: /src\/storage\/records\/migrations\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            const contents = text.replace(
              /(?<=export const STEPS: Steps = )\{.*?\}(?=;)/s,
              (own) => `{ ...${own}, ...${step} }`,
            );
            if (contents === text) throw new Error('The list of migrations was not found.');
            return { contents, loader: 'ts', resolveDir: resolve('src/storage/records') };
          }),
      },
    ],
  });
  return join(outdir, 'main.js');
}
