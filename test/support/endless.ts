import type { ServerResponse } from 'node:http';

/** A list of these elements that never ends, as fast as it is taken. */
export function endless(response: ServerResponse, element: string): void {
  let separator = '[';
  const more = () => {
    let taken = true;
    while (taken && !response.destroyed) {
      taken = response.write(separator + element);
      separator = ',';
    }
  };
  response.on('drain', more);
  more();
}
