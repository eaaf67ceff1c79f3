import type { RetryPolicy } from '../domain/connection-settings.ts';
import type { Settings } from './settings.ts';

export function withRetries(settings: Settings, retryOf: (policy: RetryPolicy) => RetryPolicy): Settings {
  const { ads, messages, graph, container } = settings;
  return {
    ...settings,
    ads: { ...ads, retry: retryOf(ads.retry) },
    messages: { ...messages, retry: retryOf(messages.retry) },
    graph: { ...graph, retry: retryOf(graph.retry) },
    container: { ...container, retry: retryOf(container.retry) },
  };
}
