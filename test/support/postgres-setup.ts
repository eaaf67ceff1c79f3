import type { TestProject } from 'vitest/node';
import { makeTemplate, startPostgres } from './postgres-server.ts';

/** One server for all tests of the project `postgres`. */
export async function setup(project: TestProject): Promise<() => void> {
  const server = await startPostgres();
  project.provide('postgres', await makeTemplate(server));
  return () => server.end();
}
