import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { InputError } from '../domain/errors.ts';
import type { Catalogue } from '../language/gaql/catalogue/catalogue.ts';
import { decodeCatalogue, type EncodedCatalogue } from '../language/gaql/catalogue/decode-catalogue.ts';

export interface Origin {
  readonly target: 'sandbox' | 'live';
  readonly source: string;
  /** ISO 8601, UTC. */
  readonly readAt: string;
}

export interface RefreshedFile extends Origin {
  readonly format: typeof REFRESHED_FORMAT;
  readonly catalogue: EncodedCatalogue;
}

export const REFRESHED_FORMAT = 'pacekeeper catalogue 1';

export function refreshedPath(dataFolder: string, version: string): string {
  return join(dataFolder, `catalogue-${version}.json.gz`);
}

export function refreshedVersions(dataFolder: string): string[] {
  const names = existsSync(dataFolder) ? readdirSync(dataFolder) : [];
  return names.flatMap((name) => /^catalogue-(v[1-9]\d*)\.json\.gz$/.exec(name)?.[1] ?? []).sort();
}

export interface RefreshedCatalogue {
  readonly catalogue: Catalogue;
  readonly origin: Origin;
}

const known = new Map<string, RefreshedCatalogue & { readonly stamp: string }>();

/** Throws `InputError` for a damaged file, or for a file from the sandbox if the target is live. */
export function readRefreshed(dataFolder: string, version: string, target: Origin['target']): RefreshedCatalogue {
  const path = refreshedPath(dataFolder, version);
  const read = readAgain(path, version);
  if (target === 'live' && read.origin.target === 'sandbox') {
    throw new InputError(`The catalogue ${path} was read from the sandbox, but the target is live.`, REMEDY);
  }
  return read;
}

const REMEDY = { nextStep: 'Run pacekeeper catalogue refresh, or delete the file.' };

function readAgain(path: string, version: string): RefreshedCatalogue {
  try {
    const { mtimeMs, size } = statSync(path);
    const stamp = `${mtimeMs} ${size}`;
    const last = known.get(path);
    if (last?.stamp === stamp) return last;
    const { format, catalogue, target, source, readAt } = JSON.parse(
      gunzipSync(readFileSync(path)).toString('utf8'),
    ) as RefreshedFile;
    if (format !== REFRESHED_FORMAT) throw new Error('its format is unknown');
    if (catalogue.name !== version) throw new Error(`it holds ${catalogue.name}`);
    const read = { catalogue: decodeCatalogue(catalogue), origin: { target, source, readAt }, stamp };
    known.set(path, read);
    return read;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(`The catalogue ${path} cannot be used: ${reason.replace(/\.$/, '')}.`, { ...REMEDY, cause });
  }
}
