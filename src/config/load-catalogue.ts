import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { InputError } from '../domain/errors.ts';
import type { Catalogue } from '../language/gaql/catalogue/catalogue.ts';
import {
  type Descriptions,
  decodeCatalogue,
  type EncodedCatalogue,
} from '../language/gaql/catalogue/decode-catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../language/gaql/catalogue/specification-catalogue.ts';
import { NEWEST_CATALOGUE } from './declared/advertising.ts';
import { packageRoot } from './package-root.ts';
import { type Origin, readRefreshed, refreshedPath, refreshedVersions } from './refreshed-catalogue.ts';
import type { Settings } from './settings.ts';

export const SHIPPED_VERSIONS: readonly string[] = [NEWEST_CATALOGUE];

const loaded = new Map<string, Catalogue>();
let described: Descriptions | undefined;

/** `name` is one of {@link SHIPPED_VERSIONS}, or `spec`. */
export function loadCatalogue(name: string): Catalogue {
  if (name === 'spec') return SPECIFICATION_CATALOGUE;
  const catalogue = loaded.get(name) ?? decodeCatalogue(readJson<EncodedCatalogue>(`${name}.json.gz`));
  loaded.set(name, catalogue);
  return catalogue;
}

/** The field service has no descriptions, so all versions use the newest descriptions. */
export function loadDescriptions(name: string): Descriptions {
  if (name === 'spec') return { resources: {}, fields: {} };
  described ??= readJson<Descriptions>(`${NEWEST_CATALOGUE}.descriptions.json.gz`);
  return described;
}

export interface CatalogueSettings extends Pick<Settings, 'target'> {
  readonly ads: Pick<Settings['ads'], 'version' | 'catalogue'>;
  readonly paths: Pick<Settings['paths'], 'data'>;
}

export interface ChosenCatalogue {
  readonly catalogue: Catalogue;
  /** Undefined for a catalogue that comes with the program. */
  readonly refreshed: Origin | undefined;
  /** Set if there is no catalogue of `ads.version`, so that the newest shipped catalogue is used. */
  readonly warning: string | undefined;
}

/** Throws `InputError` if the named catalogue is missing or its file is damaged. A live target also refuses a file from the sandbox. */
export function chooseCatalogue(settings: CatalogueSettings): ChosenCatalogue {
  const { version, catalogue } = settings.ads;
  const wanted = catalogue === 'auto' ? version : catalogue;
  const found = findCatalogue(wanted, settings);
  if (found !== undefined) return { ...found, warning: undefined };
  if (catalogue !== 'auto') throw noCatalogue(wanted, settings);
  const warning = `There is no catalogue of ${version} (ads.version), so queries are checked against ${NEWEST_CATALOGUE}. Run pacekeeper catalogue refresh.`;
  return { catalogue: loadCatalogue(NEWEST_CATALOGUE), refreshed: undefined, warning };
}

export function catalogueNamed(name: string, settings: CatalogueSettings): Catalogue {
  const found = findCatalogue(name, settings);
  if (found === undefined) throw noCatalogue(name, settings);
  return found.catalogue;
}

function findCatalogue(name: string, settings: CatalogueSettings): Omit<ChosenCatalogue, 'warning'> | undefined {
  if (name !== 'spec' && existsSync(refreshedPath(settings.paths.data, name))) {
    const { catalogue, origin } = readRefreshed(settings.paths.data, name, settings.target);
    return { catalogue, refreshed: origin };
  }
  const isShipped = name === 'spec' || SHIPPED_VERSIONS.includes(name);
  return isShipped ? { catalogue: loadCatalogue(name), refreshed: undefined } : undefined;
}

function noCatalogue(name: string, { paths }: CatalogueSettings): InputError {
  const refreshed = refreshedVersions(paths.data).map((version) => `${version} (refreshed)`);
  const names = [...refreshed, ...SHIPPED_VERSIONS.map((version) => `${version} (shipped)`), 'spec'];
  return new InputError(`There is no catalogue ${name}, only ${names.join(', ')}.`, {
    nextStep: `Run pacekeeper catalogue refresh with ads.version: ${/^v\d+$/.test(name) ? name : 'vN'}.`,
  });
}

function readJson<Content>(file: string): Content {
  try {
    const packed = readFileSync(new URL(`catalogue/${file}`, packageRoot()));
    return JSON.parse(gunzipSync(packed).toString('utf8')) as Content;
  } catch (cause) {
    const { message, code = 'DAMAGED' } = cause as NodeJS.ErrnoException;
    const what = `The program's own file catalogue/${file} cannot be read: ${message}. Reinstall the program`;
    throw Object.assign(new Error(what, { cause }), { code });
  }
}
