import { createRequire } from 'node:module';
import { join } from 'node:path';

const requireInstalled = createRequire(join(import.meta.dirname, 'package.json'));

/**
 * A package of this folder's own lockfile, or a file of one. Its types are not here when the project is checked, so that
 * whoever loads it says what it uses of it.
 */
export function installed<Shape>(name: string): Shape {
  return requireInstalled(name);
}
