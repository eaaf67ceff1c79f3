import { dirname } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { RunAct } from '../server/act-route.ts';

/** Commands name files with their folders. An agent needs only the names of the files. */
export function withoutFolders(run: RunAct, { paths }: Pick<Settings, 'paths'>): RunAct {
  const folders = [...new Set(Object.values(paths).map(dirname))]
    .filter((folder) => folder.length > 1)
    .toSorted((one, other) => other.length - one.length);
  const shorten = (text: string) => folders.reduce((rest, folder) => rest.replaceAll(`${folder}/`, ''), text);
  return async (args) => {
    const { exitCode, text, stdout } = await run(args);
    return { exitCode, text: shorten(text), ...(stdout !== undefined && { stdout: shorten(stdout) }) };
  };
}
