import { CHANNELS } from '../../channels/channels.ts';
import { section } from '../../language/settings/declare.ts';

export const CHANNEL_SECTIONS = CHANNELS.map(({ name, title, about, settings }) =>
  section(title, { live: true, before: [about] }, { [name]: settings }),
);
