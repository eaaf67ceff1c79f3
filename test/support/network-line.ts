import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface NetworkLine {
  /** The same address through this line. */
  readonly url: string;
  /** Closes all connections, and refuses new ones. */
  cut(): void;
  /** Passes nothing on, and closes nothing. */
  silence(): void;
  mend(): void;
}

/** A network between a process and its database. */
export async function networkLine(address: string): Promise<NetworkLine> {
  const { hostname, port } = new URL(address);
  let state: 'whole' | 'silent' | 'cut' = 'whole';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      if (state === 'whole') one.pipe(other);
      one
        .on('error', () => undefined)
        .on('close', () => {
          other.destroy();
          pairs.delete(pair);
        });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cut = () => {
    state = 'cut';
    for (const [near] of pairs) near.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const own = String((server.address() as AddressInfo).port);
  return {
    url: address.replace(port, own),
    cut,
    silence() {
      state = 'silent';
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    mend() {
      state = 'whole';
      for (const [near, far] of pairs) {
        near.pipe(far);
        far.pipe(near);
      }
    },
  };
}
