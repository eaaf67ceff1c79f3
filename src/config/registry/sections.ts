import { ACCOUNTS } from './accounts.ts';
import { ADVERTISING } from './advertising.ts';
import { ALERTING } from './alerting.ts';
import { CALENDAR } from './calendar.ts';
import { CONTAINER } from './container.ts';
import { GRAPH } from './graph.ts';
import { MESSAGING } from './messaging.ts';
import { PARAMETERS } from './parameters.ts';
import { PROXIES } from './proxies.ts';
import { READING } from './reading.ts';
import { SANDBOX } from './sandbox.ts';
import { SCHEDULE } from './schedule.ts';
import type { Setting, SettingSection } from './setting.ts';
import { WATCHING } from './watching.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WHICH_SERVICE } from './which-service.ts';

/**
 * Every setting there is, in the order of the configuration page. The page, what `config show` prints, the descriptions of the
 * JSON Schema, what a message may repeat of the file and which values are secret all follow from here; a test holds it against
 * the schema that checks the file.
 */
export const SECTIONS: readonly SettingSection[] = [
  ...[WHICH_SERVICE, PARAMETERS, ADVERTISING, PROXIES, READING, MESSAGING, GRAPH, CONTAINER, WEBHOOKS, SCHEDULE],
  ...[WATCHING, ALERTING, ACCOUNTS, CALENDAR, SANDBOX],
];

export const SETTINGS: readonly Setting[] = SECTIONS.flatMap(({ settings }) => settings);
