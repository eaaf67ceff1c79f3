import type { Descriptions, EncodedCatalogue } from '../src/language/gaql/catalogue/decode-catalogue.ts';
import type { Unions } from './read-unions.ts';

/**
 * What the maintainer looks at after a run: how much there is of everything, and what the sources know but the catalogue
 * leaves out. Throws when there is nothing of something, which means that a source changed its form.
 */
export function summarize(catalogue: EncodedCatalogue, descriptions: Descriptions, unions: Unions): string {
  const counts: [string, number][] = [
    ['resources', Object.keys(catalogue.resources).length],
    ['attributes', Object.values(catalogue.attributes).flat().length],
    ['metrics', catalogue.metrics.length],
    ['segments', catalogue.segments.length],
    ['enums', Object.keys(catalogue.enums).length],
    ['row keys other than the resource name', countKeys(catalogue)],
    ['described resources', Object.keys(descriptions.resources).length],
    ['described fields', Object.keys(descriptions.fields).length],
  ];
  const missing = counts.filter(([, count]) => count === 0).map(([what]) => what);
  if (missing.length > 0) {
    throw new Error(
      `The sources gave no ${missing.join(', no ')}.\nCompare their form with what catalogue/ reads of it.`,
    );
  }
  return [
    ...counts.map(([what, count]) => `${String(count).padStart(6)} ${what}`),
    `Offered by no resource, left out: ${list(unoffered(catalogue, unions))}`,
  ].join('\n');
}

function countKeys({ resources }: EncodedCatalogue): number {
  return Object.entries(resources).filter(([name, { key }]) => key[0] !== `${name}.resource_name`).length;
}

function unoffered({ metrics, segments }: EncodedCatalogue, unions: Unions): string[] {
  const offered = new Set([
    ...metrics.map(([name]) => `metrics.${name}`),
    ...segments.map(([name]) => `segments.${name}`),
  ]);
  return [...unions.metrics, ...unions.segments].filter((name) => !offered.has(name));
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
