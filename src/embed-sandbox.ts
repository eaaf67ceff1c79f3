import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './config/settings.ts';
import type { Clock, Log } from './domain/ports.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts';
import { isLoopback } from './sandbox/webhooks/webhooks.ts';
import { isWritable, openCopy } from './storage/records/sqlite/open-to-look.ts';

/** Undefined for a live target. On close, logs requested faults that matched no request. */
export async function embedSandbox(
  settings: Settings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  onClose: (close: () => Promise<void>) => void,
  looksOnly = false,
): Promise<Sandbox | undefined> {
  if (settings.target !== 'sandbox') return undefined;
  const { paths, sandbox: wanted, serve, messages, graph } = settings;
  const folder = wanted.dataDir ?? paths.data;
  const file = join(folder, 'sandbox.sqlite');
  const isSealed = looksOnly && !isWritable(folder);
  if (!isSealed) mkdirSync(folder, { recursive: true, mode: 0o755 });
  const sandbox = await startSandbox({
    stateFile: isSealed ? copyOf(file) : file,
    clock,
    seed: wanted.seed,
    strict: wanted.strict,
    manager: wanted.manager,
    faults: wanted.fault,
    ...(wanted.market === undefined ? {} : { marketFile: wanted.market }),
    ...(wanted.port === undefined ? {} : { port: wanted.port }),
    // Sends delivery reports only to a `pacekeeper serve` on this machine.
    ...(serve.publicUrl !== undefined && isLoopback(serve.publicUrl) ? { webhookUrl: serve.publicUrl } : {}),
    webhookSecrets: { messages: messages.password, graph: graph.appSecret },
  });
  onClose(async () => {
    await sandbox.close();
    const unmet = sandbox.faults.unmet();
    if (unmet.length > 0)
      log.warn(`The fault${unmet.length > 1 ? 's' : ''} ${unmet.join(' and ')} matched no request.`);
  });
  return sandbox;
}

/** Another run may already use the configured port. */
export function onAnyPort(settings: Settings): Settings {
  return { ...settings, sandbox: { ...settings.sandbox, port: undefined } };
}

/** Changes of this run are not saved. */
function copyOf(file: string): SandboxOptions['stateFile'] {
  return existsSync(file) ? openCopy(file, false) : ':memory:';
}
