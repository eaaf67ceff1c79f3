import type { PublishedData } from '../storage/warehouse/publish/published-data.ts';
import type { StateApp } from './app.ts';
import { warehousePath } from './folder/folder-paths.ts';

/** Closes the published file after `read`. The file is undefined before the first publication. */
export async function withPublished<Result>(
  { state, settings }: Pick<StateApp, 'state' | 'settings'>,
  read: (file: PublishedData | undefined) => Promise<Result>,
): Promise<Result> {
  const file = await state.warehouse.openPublished(warehousePath(settings.paths.data));
  try {
    return await read(file);
  } finally {
    file?.close();
  }
}
