import { readFileSync } from 'node:fs';
import { serve } from '../child-server.ts';
import { readJob } from '../measurement.ts';

/**
 * `serve-pages-child.js FILE`: the interface of pages, and the provider of tokens, for a client that comes through a
 * proxy. Each batch of the response is a page.
 */
const text = readFileSync(readJob<string>());
const START = '{"results":[';
const starts: number[] = [];
for (let at = text.indexOf(START); at !== -1; at = text.indexOf(START, at + 1)) starts.push(at);

serve((request, body, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
  if (request.url?.endsWith('/token')) {
    response.end('{"access_token":"bench","expires_in":3600}');
    return;
  }
  const { pageToken = '0' } = JSON.parse(body) as { readonly pageToken?: string };
  const page = Number(pageToken);
  const next = starts[page + 1];
  response.write(next === undefined ? '{' : `{"nextPageToken":"${page + 1}",`);
  const end = text.lastIndexOf('}', next === undefined ? undefined : next - 1) + 1;
  response.end(text.subarray((starts[page] ?? 0) + 1, end));
});
