import { createReadStream } from 'node:fs';
import { serve } from '../child-server.ts';
import { readJob } from '../measurement.ts';

/** `serve-child.js FILE`: answers every request with the file. */
const file = readJob<string>();
serve((_request, _body, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8', 'request-id': 'bench' });
  createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response);
});
