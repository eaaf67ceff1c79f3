import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { refusedLicenses, shippedPackages, thirdPartyNotices } from '../test/security/shipped-packages.ts';

const FOLDER = 'dist/release';
const PACKED_BYTES_MAX = 5_000_000;

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
const packages = shippedPackages();
const faults = [...changelogFaults(), ...refusedLicenses(packages)];
if (faults.length === 0) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync('dist/THIRD-PARTY-NOTICES.txt', thirdPartyNotices(packages));
  writeFileSync(`${FOLDER}/sbom.cdx.json`, `${JSON.stringify(shippedSbom(), undefined, 2)}\n`);
  // Without scripts: what was checked is what is packed.
  const packed = npm('pack', '--ignore-scripts', '--json', '--pack-destination', FOLDER);
  const { filename } = (JSON.parse(packed) as readonly { filename: string }[])[0] ?? { filename: '' };
  const { size } = statSync(`${FOLDER}/${filename}`);
  process.stdout.write(
    `${FOLDER}/${filename}: ${(size / 1e6).toFixed(1)} MB, ${packages.length} packages of others.\n`,
  );
  if (size > PACKED_BYTES_MAX) faults.push(`${filename}: found ${size} bytes, expected at most ${PACKED_BYTES_MAX}.`);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function changelogFaults(): string[] {
  const newest = /^## (\S+)/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1];
  if (newest === version) return [];
  return [`CHANGELOG.md: found version ${newest ?? 'none'} first, expected ${version} as in package.json.`];
}

/** npm lists the tools as well, and calls the program as its folder is called. */
function shippedSbom(): Sbom {
  const sbom = JSON.parse(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx')) as Sbom;
  const shipped = new Set(packages.map((one) => `${one.name}@${one.version}`));
  const components = sbom.components
    .filter((one) => shipped.has(`${one.name}@${one.version}`))
    .map((one) => ({ ...one, scope: 'required' }));
  const kept = new Set([sbom.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  const metadata = { ...sbom.metadata, component: { ...sbom.metadata.component, name } };
  return { ...sbom, metadata, components, dependencies };
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
}
