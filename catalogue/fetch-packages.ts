import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A published package at one version, with the checksum that npm's registry gives for its archive. */
export interface PackageSource {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/**
 * Downloads a package's archive without installing it and unpacks it below `folder`: installing would bring a hundred
 * megabytes of dependencies that are not needed to read a few files. Returns the unpacked folder.
 */
export function fetchPackage(source: PackageSource, folder: string): string {
  const archive = join(folder, `${source.name}-${source.version}.tgz`);
  const unpacked = join(folder, source.name);
  try {
    execFileSync('npm', ['pack', `${source.name}@${source.version}`, '--pack-destination', folder, '--silent'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    checkIntegrity(source, archive);
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', archive, '-C', unpacked, '--strip-components', '1']);
  } catch (error) {
    throw new Error(
      `The package ${source.name}@${source.version} could not be fetched: ${error instanceof Error ? error.message : error}\n` +
        'Check that npm reaches its registry and that the version and checksum in catalogue/generate.ts are right.',
      { cause: error },
    );
  }
  return unpacked;
}

/** A version names its content only as long as nobody replaces it. */
function checkIntegrity(source: PackageSource, archive: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== source.integrity) throw new Error(`its checksum is ${found}, expected ${source.integrity}.`);
}
