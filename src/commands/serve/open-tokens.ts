import type { Settings } from '../../config/settings.ts';
import { type TokenStore, tokensInFile, tokensPath } from '../../dashboard/server/access-tokens.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { engineOf } from '../../engine/folder/engine.ts';

/** On PostgreSQL, all pods share the tokens. Upgrades older tables first. */
export async function openTokens(
  settings: Settings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<TokenStore> {
  const file = tokensPath(settings.paths.data);
  if (settings.store.url === undefined) return tokensInFile(file);
  await (await engineOf(settings)).upgrade({ clock, log });
  const { openTokensInDatabase } = await import('./tokens-in-database.ts');
  return openTokensInDatabase(settings.store.url, file);
}
