import { type AppDeps, open } from '../app.ts';
import { frozenByFile, killSwitch } from '../budgets/kill-switch.ts';
import type { Settings } from '../config/settings.ts';
import type { Frozen } from '../domain/frozen.ts';
import { hasState } from '../state-path.ts';

/** Why no budget may be changed now, for what needs no run; a run may work meanwhile. */
export async function frozenNow(settings: Settings, deps: Pick<AppDeps, 'clock' | 'log'>): Promise<Frozen | undefined> {
  const { data } = settings.paths;
  if (!hasState(settings)) return frozenByFile(data);
  return open(settings, deps, { what: 'state', readOnly: true }, (app) => killSwitch(app, data).standing());
}
