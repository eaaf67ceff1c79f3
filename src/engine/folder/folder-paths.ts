import { join } from 'node:path';

/** The published tables. */
export const warehousePath = (dataFolder: string): string => join(dataFolder, 'warehouse.sqlite');

/** One file for each run. */
export const runFolder = (dataFolder: string): string => join(dataFolder, 'runs');
