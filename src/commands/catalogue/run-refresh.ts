import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { NEWEST_CATALOGUE } from '../../config/declared/advertising.ts';
import { loadCatalogue } from '../../config/load-catalogue.ts';
import { REFRESHED_FORMAT, type RefreshedFile, refreshedPath } from '../../config/refreshed-catalogue.ts';
import { requireAds } from '../../engine/accounts/find-accounts.ts';
import { shownPath } from '../../engine/load-inputs.ts';
import { encodeFields } from '../../language/gaql/catalogue/encode-fields.ts';
import { readFields } from '../../services/ads/read-fields.ts';
import { malformed } from '../../services/http/classify-failure.ts';
import { leftAsItWas, ownNextPath, replaceFile } from '../../storage/files/replace-file.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';

/** Throws `ApiError` and writes nothing if the service's list is incomplete or implausible. */
export async function runRefresh({ settings, clock, output, open }: CommandApp<'areas'>): Promise<void> {
  const { version, source, fields } = await open(async (areas) => {
    const ads = requireAds(areas, 'the catalogue cannot be refreshed');
    return { version: ads.version, source: areas.target, fields: await readFields(ads) };
  });
  const path = refreshedPath(settings.paths.data, version);
  const encoding = encodeFields(version, fields, loadCatalogue(NEWEST_CATALOGUE));
  if (encoding.kind === 'implausible') {
    const left = `${shownPath(path)} ${leftAsItWas(path)}`;
    throw malformed('WRONG_ANSWER', `The list of fields is not used, because ${encoding.reason}. ${left}`, false);
  }
  const { catalogue } = encoding;
  const readAt = new Date(clock.now()).toISOString();
  const file: RefreshedFile = { format: REFRESHED_FORMAT, target: settings.target, source, readAt, catalogue };
  const isFirst = !existsSync(path);
  mkdirSync(settings.paths.data, { recursive: true, mode: 0o755 });
  const packed = gzipSync(JSON.stringify(file));
  await replaceFile(path, async (next) => writeFileSync(next, packed), { next: ownNextPath(path) });
  const resources = Object.keys(catalogue.resources).length;
  const found = `${count(resources, 'resource')} and ${(fields.length - resources).toLocaleString('en-US')} fields`;
  output.stdout.write(
    `${isFirst ? 'Wrote' : 'Replaced'} ${shownPath(path)}: ${found} of ${version}, from ${source}.\n${nextStep(settings.ads.catalogue, version)}\n`,
  );
}

function nextStep(chosen: string, version: string): string {
  return chosen === 'auto' || chosen === version
    ? 'Run pacekeeper check.'
    : `Queries are still checked against ads.catalogue: ${chosen}. Set it to auto or ${version}.`;
}
