import type { TestProject } from 'vitest/node';
import { openPostgres } from '../../src/store/postgres/open-records.ts';
import { onDatabase, startPostgres, urlOf } from './postgres-server.ts';

/** One server for all tests of the project `postgres`. */
export async function setup(project: TestProject): Promise<() => void> {
  const server = await startPostgres();
  await onDatabase(urlOf(server, 'postgres'), 'CREATE DATABASE unused');
  const url = urlOf(server, 'unused');
  await (await openPostgres({ url, waitMs: 1000 })).close();
  project.provide('postgres', url);
  return () => server.end();
}
