import type { DeliveryPoints } from '../alerts/delivery-pass.ts';
import type { ChannelConnections } from '../channels/channels.ts';
import type { AlertSettings } from '../config/alert-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { DateRange } from '../domain/civil-date.ts';
import type { Clock, Log, Pauses, Progress } from '../domain/ports.ts';
import type { AdsConnection } from '../services/ads/ads-connection.ts';
import type { ContainerConnection } from '../services/container/session.ts';
import type { Redact } from '../services/http/redact.ts';
import type { Store } from '../storage/warehouse/store.ts';
import type { CrashPoints } from './budgets/budget-deps.ts';
import type { KillSwitch } from './budgets/kill-switch.ts';
import type { ShareWork } from './queue/shared-work.ts';

/** Undefined for interfaces without settings. */
export interface Connections extends ChannelConnections {
  readonly ads: AdsConnection | undefined;
  readonly container: ContainerConnection | undefined;
}

export interface App extends Connections {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly redact: Redact;
  readonly state: Store;
  readonly killSwitch: KillSwitch;
  /** Why the clock forbids budget changes. */
  readonly wrongClock: () => Promise<string | undefined>;
  readonly passes: CrashPoints;
  readonly deliveryPasses?: DeliveryPoints;
  /** Text for people, such as "sandbox (seed 1)" or "live (https://ads.example.com)". */
  readonly target: string;
  /** By default, the sandbox has its own recipients and approvers. */
  readonly alerts: AlertSettings;
  readonly replayed: ReplayedHistory | undefined;
  /** After an abort, the run starts no new work that can wait. */
  readonly stop: AbortSignal;
  readonly progress: Progress;
  /** In bytes. Only tests set this number. */
  readonly sliceBytesMax?: number;
  readonly onRun?: (runId: bigint) => void;
  /** Undefined, or without a result, if no workers share the work of this run. Call this once per run. */
  readonly shareWork?: ShareWork | undefined;
}

export type StateApp = Pick<App, 'settings' | 'clock' | 'log' | 'state'> & Partial<Pick<App, 'passes'>>;

export type AreasApp = Connections & Pick<App, 'target' | 'settings'>;

export interface ReplayedHistory {
  readonly days: DateRange;
  readonly timeZone: string;
  /** True if the market file has no costs. */
  readonly simulatedCost: boolean;
}
