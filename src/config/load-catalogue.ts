import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Catalogue } from '../gaql/catalogue/catalogue.ts';
import { type Descriptions, decodeCatalogue, type EncodedCatalogue } from '../gaql/catalogue/decode-catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../gaql/catalogue/specification-catalogue.ts';
import type { CATALOGUE_NAMES } from './declared/advertising.ts';
import { packageRoot } from './package-root.ts';

export type CatalogueName = (typeof CATALOGUE_NAMES)[number];

const loaded = new Map<CatalogueName, Catalogue>();
const described = new Map<CatalogueName, Descriptions>();

export function loadCatalogue(name: CatalogueName): Catalogue {
  if (name === 'spec') return SPECIFICATION_CATALOGUE;
  const catalogue = loaded.get(name) ?? decodeCatalogue(readJson<EncodedCatalogue>(`${name}.json.gz`));
  loaded.set(name, catalogue);
  return catalogue;
}

export function loadDescriptions(name: CatalogueName): Descriptions {
  if (name === 'spec') return { resources: {}, fields: {} };
  const descriptions = described.get(name) ?? readJson<Descriptions>(`${name}.descriptions.json.gz`);
  described.set(name, descriptions);
  return descriptions;
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
