import type { App, Opened } from '../app.ts';
import type { Environment } from '../config/setting-tree.ts';
import type { Settings } from '../config/settings.ts';
import type { CommonOptions } from './common-options.ts';
import type { Process } from './process.ts';
import type { Taken, Takes } from './takes.ts';

/** A command as data: what it takes, what it opens, and where its function is. Nothing of it runs before it is called. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly takes?: Takes;
  /** Command lines below its help, and before them what these do not say themselves. */
  readonly examples?: readonly string[];
  readonly about?: string;
  /**
   * The settings are read for it. `own`: its function reads them itself, as far as it needs them. `none`: it has nothing to do
   * with any, and takes none of the common options.
   */
  readonly settings?: 'own' | 'none';
  readonly opens?: CommandOpens<keyof Opened> | ((options: never) => CommandOpens<keyof Opened>);
  /** Asked to end, it comes to its end in order; the others just end. */
  readonly isStoppable?: boolean;
  /** It makes a run with a record: the progress of reading is shown, and a schedule that has started it learns its number. */
  readonly isRun?: boolean;
  readonly load?: () => Promise<(app: never, options: never) => Ended>;
  readonly commands?: readonly Command[];
}

/** The exit code; nothing for done. */
type Ended = Promise<number> | Promise<void>;

/** As `Opening` of src/app.ts. The lock has the name of the command. */
export interface CommandOpens<What extends keyof Opened> {
  readonly what: What;
  readonly lock?: boolean;
  readonly readOnly?: boolean;
}

/** The program as the function of a command gets it. */
export interface CommandApp<What extends keyof Opened = never>
  extends Process,
    Pick<App, 'clock' | 'pauses' | 'log' | 'redact'> {
  readonly settings: Settings;
  readonly environment: Environment;
  /** Given when a stoppable command is asked to end. */
  readonly stop: AbortSignal;
  /**
   * Opens what the command declares, and closes it when `job` ends. Arguments are refused before it, and results are
   * printed after it: nobody waits for the data folder while a person reads.
   */
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
  readonly load: () => Promise<(app: CommandApp<What>, options: Taken<All> & CommonOptions) => Ended>;
}

interface WithoutSettings<All extends Takes> extends Described {
  readonly takes?: All;
  readonly settings: 'own' | 'none';
  readonly load: () => Promise<(process: Process, options: Taken<All> & CommonOptions) => Ended>;
}

/** Checks a declaration: its function takes what the command takes, and works with what it opens. */
export function command<const All extends Takes = Record<never, never>, What extends keyof Opened = never>(
  declared: WithSettings<All, What>,
): Command;
export function command<const All extends Takes = Record<never, never>>(declared: WithoutSettings<All>): Command;
export function command(declared: Command): Command {
  return declared;
}
