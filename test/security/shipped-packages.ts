import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of others that reaches users: its code is in the built program, or it is installed with it. */
export interface ShippedPackage {
  /** From the root, for example `node_modules/zod`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** As the package states it, for example `MIT`. */
  readonly license: string;
}

/** What may be given away inside a program under the MIT licence, with its texts. The fonts' licence is free and has no short name. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'MPL-2.0'];
const ALLOWED_TEXTS: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'SEE LICENSE IN README.md AND LICENSE',
};

interface Bundle {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

/** `npm run build` writes which files are in the program; the lockfile says which packages are installed with it. */
export function shippedPackages(): readonly ShippedPackage[] {
  const jsonOf = <Value>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as Value;
  const outputs = ['dist/bundle.json', 'dist/scripts.json'].flatMap((path) =>
    Object.values(jsonOf<Bundle>(path).outputs),
  );
  const bundled = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const installed = Object.entries(jsonOf<Lock>('package-lock.json').packages).flatMap(
    ([path, { dev, devOptional }]) => (dev || devOptional ? [] : [path]),
  );
  const folders = [...bundled, ...installed].flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  // The Node of the repository is for people with a clone. No package holds it.
  const { optionalDependencies } = jsonOf<{ optionalDependencies: object }>('runtime/package.json');
  const ofClone = ['pacekeeper-runtime', ...Object.keys(optionalDependencies)].map((name) => `node_modules/${name}`);
  return [...new Set(folders)]
    .filter((folder) => !ofClone.includes(folder))
    .sort()
    .map((folder) => {
      const { name, version, license } = jsonOf<Partial<ShippedPackage>>(`${folder}/package.json`);
      return { folder, name: name ?? folder, version: version ?? '?', license: String(license ?? 'not stated') };
    });
}

/** A sentence for each package that may not be shipped. */
export function refusedLicenses(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter(({ name, license }) => !ALLOWED.includes(license) && ALLOWED_TEXTS[name] !== license)
    .map(
      ({ folder, license }) =>
        `${folder}/package.json: found the licence "${license}", expected one of ${ALLOWED.join(', ')}.`,
    );
}

/** The texts that the licences want beside the program. */
export function thirdPartyNotices(packages: readonly ShippedPackage[]): string {
  const notice = ({ folder, name, version, license }: ShippedPackage) => {
    const texts = readdirSync(folder, { withFileTypes: true })
      .filter((file) => file.isFile() && /^(licen[cs]e|notice|copying|copyrightnotice)/i.test(file.name))
      .map((file) => readFileSync(join(folder, file.name), 'utf8').replaceAll('\r\n', '\n').trim());
    const own = texts.length > 0 ? texts : [`Licence: ${license}. The package holds no licence text.`];
    return [`${'='.repeat(80)}\n${name} ${version} (${license})\n`, ...own].join('\n\n');
  };
  return `pacekeeper holds or installs these packages, each under its own licence.\n\n${packages.map(notice).join('\n\n')}\n`;
}
