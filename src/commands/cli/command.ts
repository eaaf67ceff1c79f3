import type { Opened } from '../../app.ts';
import type { Environment } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import type { App } from '../../engine/app.ts';
import type { CommonOptions } from './common-options.ts';
import type { Process } from './process.ts';
import type { Taken, Takes } from './takes.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly takes?: Takes;
  readonly examples?: readonly string[];
  readonly about?: string;
  /** By default, settings are read before the command starts. `own` means that the command reads them itself. */
  readonly settings?: 'own' | 'none';
  readonly opens?: CommandOpens<keyof Opened> | ((options: never) => CommandOpens<keyof Opened>);
  readonly isStoppable?: boolean;
  readonly isRun?: boolean;
  /** True if a monitor hears of its start and its end. */
  readonly hasHeartbeat?: boolean;
  /** True if the command works only with records in files, not in PostgreSQL. */
  readonly needsFiles?: boolean;
  readonly load?: () => Promise<(app: never, options: never) => Ended>;
  readonly commands?: readonly Command[];
}

/** The exit code. No value means 0. */
type Ended = Promise<number> | Promise<void>;

export interface CommandOpens<What extends keyof Opened> {
  readonly what: What;
  readonly lock?: boolean;
  readonly readOnly?: boolean;
}

export interface CommandApp<What extends keyof Opened = never>
  extends Process,
    Pick<App, 'clock' | 'pauses' | 'log' | 'redact'> {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly stop: AbortSignal;
  /** Keep `job` short, because others can wait for the lock. */
  open<Value>(job: (opened: Opened[What]) => Promise<Value>): Promise<Value>;
}

interface Described extends Pick<Command, 'name' | 'summary' | 'about' | 'commands'> {
  readonly examples: readonly string[];
}

interface WithSettings<All extends Takes, What extends keyof Opened> extends Described {
  readonly takes?: All;
  readonly opens?: CommandOpens<What> | ((options: Taken<All>) => CommandOpens<What>);
  readonly isStoppable?: true;
  readonly isRun?: true;
  readonly hasHeartbeat?: true;
  readonly needsFiles?: true;
  readonly load: () => Promise<(app: CommandApp<What>, options: Taken<All> & CommonOptions) => Ended>;
}

interface WithoutSettings<All extends Takes> extends Described {
  readonly takes?: All;
  readonly settings: 'own' | 'none';
  readonly load: () => Promise<(process: Process, options: Taken<All> & CommonOptions) => Ended>;
}

export function command<const All extends Takes = Record<never, never>, What extends keyof Opened = never>(
  declared: WithSettings<All, What>,
): Command;
export function command<const All extends Takes = Record<never, never>>(declared: WithoutSettings<All>): Command;
export function command(declared: Command): Command {
  return declared;
}
