import { byChannel, type ChannelSettings } from '../channels/channels.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import type { Settings } from './settings.ts';

export function withRetries(settings: Settings, retryOf: (policy: RetryPolicy) => RetryPolicy): Settings {
  const { ads, container } = settings;
  const channels = byChannel(({ name }) => {
    const declared = settings[name as keyof ChannelSettings];
    return { ...declared, retry: retryOf(declared.retry) };
  }) as ChannelSettings;
  return {
    ...settings,
    ads: { ...ads, retry: retryOf(ads.retry) },
    ...channels,
    container: { ...container, retry: retryOf(container.retry) },
  };
}
