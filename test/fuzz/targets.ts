import type { Target } from './target.ts';
import { answersTarget } from './targets/answers.ts';
import { envTarget, marketTarget } from './targets/files.ts';
import { loaderTarget } from './targets/loader.ts';
import { parameterTarget } from './targets/parameter.ts';
import { queryTarget } from './targets/query.ts';
import { replyTarget } from './targets/reply.ts';
import { ruleTarget } from './targets/rule.ts';
import { settingsTarget } from './targets/settings.ts';
import { streamTarget } from './targets/stream.ts';
import { valuesTarget } from './targets/values.ts';
import { graphWebhookTarget, messagesWebhookTarget } from './targets/webhooks.ts';

/** What is fuzzed, each with its own corpus. */
export const TARGETS: readonly Target[] = [
  queryTarget(),
  ruleTarget(),
  settingsTarget(),
  streamTarget(),
  loaderTarget(),
  graphWebhookTarget(),
  messagesWebhookTarget(),
  replyTarget(),
  marketTarget(),
  envTarget(),
  parameterTarget(),
  valuesTarget(),
  answersTarget(),
];
