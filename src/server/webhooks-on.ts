/** What proves where a webhook comes from. */
export interface WebhookSecrets {
  readonly graphApp: string | undefined;
  readonly graphVerify: string | undefined;
  readonly messages: string | undefined;
}

/** A route without its secret is off: nobody could tell who speaks there. */
export function webhooksOn({ graphApp, graphVerify, messages }: WebhookSecrets): Readonly<Record<string, string>> {
  return {
    graph: graphApp === undefined ? 'off: GRAPH_APP_SECRET is not set' : 'on',
    graph_verification: graphVerify === undefined ? 'off: GRAPH_VERIFY_TOKEN is not set' : 'on',
    messages: messages === undefined ? 'off: MESSAGES_PASSWORD is not set' : 'on',
  };
}
