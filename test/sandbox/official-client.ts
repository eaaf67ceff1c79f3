import twilio from 'twilio';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';

/** The provider's own client, which knows one address only, made to ask the sandbox. */
export function officialClient({ url, credentials }: Sandbox, password = credentials.messages.password) {
  const httpClient = new twilio.RequestClient();
  const request = httpClient.request.bind(httpClient);
  httpClient.request = (options) => {
    const { pathname, search } = new URL(options.uri);
    return request(Object.assign(options, { uri: url + pathname + search }));
  };
  return twilio(credentials.messages.accountId, password, { httpClient });
}
