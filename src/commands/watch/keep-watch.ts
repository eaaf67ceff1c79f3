import type { Log } from '../../domain/ports.ts';
import { type CommonOptions, pathArgs } from '../cli/common-options.ts';
import type { Process } from '../cli/process.ts';

const EVERY_MS = 10 * 60_000;

export interface KeptWatch {
  /** Looks now, for example because a job ended badly. */
  look(): void;
  end(): Promise<void>;
}

/**
 * For processes that stay: a look every ten minutes, and when asked. Each look is a process of its own, because a look that
 * hangs or dies must end nothing else.
 */
export function keepWatch(
  { runBeside }: Pick<Process, 'runBeside'>,
  paths: CommonOptions,
  log: Pick<Log, 'warn'>,
  env: () => Readonly<Record<string, string>> = () => ({}),
): KeptWatch {
  let running: ReturnType<Process['runBeside']> | undefined;
  let isAsked = false;
  const look = (): void => {
    isAsked = running !== undefined;
    if (isAsked) return;
    const beside = runBeside(['watch', '--once', ...pathArgs(paths)], env());
    running = beside;
    void beside.ended.then((code) => {
      running = undefined;
      if (code !== 0) log.warn(`pacekeeper watch ended with ${code ?? 'a signal'}: an alert may not have been sent.`);
      if (isAsked) look();
    });
  };
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    look,
    async end() {
      clearInterval(timer);
      isAsked = false;
      running?.stop('SIGTERM');
      await running?.ended;
    },
  };
}
