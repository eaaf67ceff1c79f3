import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { buildCatalogue } from './build-catalogue.ts';
import { buildDescriptions } from './build-descriptions.ts';
import { fetchPackage, type PackageSource } from './fetch-packages.ts';
import { readRowType } from './read-protos.ts';
import { readServiceTypes } from './read-service-types.ts';
import { readUnions } from './read-unions.ts';
import { renderNotice } from './render-notice.ts';
import { summarize } from './summarize.ts';

/**
 * `npm run catalogue`: fetches both packages and writes the catalogue, the descriptions and the notice beside this file.
 * `npm run catalogue -- --check` writes nothing and ends with status 1 when what is committed differs from what it would
 * write. For a new version of the interface: change the three constants and run it.
 */
const VERSION = 'v25';
const UNIONS: PackageSource = {
  name: 'google-ads-api',
  version: '25.1.0',
  integrity: 'sha512-W/hiWFNo3GMH1lh3A3eCRZGKjIeJ145XfZdH8fyfxuIt4vzg4ZgUq73rGuK7RPnq8XitH8DKKAeFoNvFljLw5g==',
};
const PROTOS: PackageSource = {
  name: 'google-ads-node',
  version: '25.1.0',
  integrity: 'sha512-ROVTtOcqY2Z05GkpGdGcjDdlFADCUYNHHKltBWIGL+KUX0CuNmgxOAUOGPbB41MIFZbLahMYfOQTsijoE0FwIg==',
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-catalogue-'));
try {
  const files = generate();
  if (values.check) check(files);
  else for (const [name, text] of files) writeFileSync(join('catalogue', name), pack(name, text));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The texts of all files by name, before compression. */
function generate(): Map<string, string> {
  const unionsFolder = fetchPackage(UNIONS, folder);
  const protosFolder = fetchPackage(PROTOS, folder);
  const fieldsFile = join(unionsFolder, 'build', 'cjs', 'protos', 'autogen', 'fields.d.ts');
  const unions = readUnions(fieldsFile);
  const rowType = readRowType(join(protosFolder, 'build', 'protos'), VERSION);
  const sources = [UNIONS, PROTOS].map(({ name, version }) => `${name} ${version}`);
  const catalogue = buildCatalogue({ name: VERSION, sources }, unions, rowType, readServiceTypes(fieldsFile));
  const descriptions = buildDescriptions(catalogue, rowType);
  process.stdout.write(`${summarize(catalogue, descriptions, unions)}\n`);
  return new Map([
    [`${VERSION}.json.gz`, JSON.stringify(catalogue)],
    [`${VERSION}.descriptions.json.gz`, JSON.stringify(descriptions)],
    ['NOTICE.md', renderNotice(catalogue, readFileSync(join(unionsFolder, 'LICENSE'), 'utf8'))],
  ]);
}

/** Compares texts, not compressed bytes: those may differ between builds of zlib. */
function check(files: ReadonlyMap<string, string>): void {
  const stale = [...files].filter(([name, text]) => {
    const path = join('catalogue', name);
    return !existsSync(path) || unpack(name, readFileSync(path)) !== text;
  });
  if (stale.length === 0) return;
  throw new Error(
    `Not what the sources give: ${stale.map(([name]) => name).join(', ')}.\nRun npm run catalogue and commit.`,
  );
}

function pack(name: string, text: string): Uint8Array | string {
  return name.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text;
}

function unpack(name: string, bytes: Buffer): string {
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
