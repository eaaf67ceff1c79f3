import { isIPv6 } from 'node:net';

const WINDOW_MS = 60_000;
const WRONG_MAX = 10;
const NETWORKS_MAX = 1000;

/** Counts wrong tokens by the network that they came from: whoever guesses has ten tries a minute. */
export interface WrongTokens {
  /** How long that address has to wait, whole seconds; 0 for not at all. */
  waitSeconds(address: string): number;
  count(address: string): void;
}

export function countWrongTokens(nowMs: () => number): WrongTokens {
  const wrong = new Map<string, number[]>();
  const recent = (network: string) => (wrong.get(network) ?? []).filter((atMs) => nowMs() - atMs < WINDOW_MS);
  return {
    waitSeconds(address) {
      const [firstMs, ...more] = recent(networkOf(address));
      if (firstMs === undefined || more.length + 1 < WRONG_MAX) return 0;
      return Math.max(1, Math.ceil((firstMs + WINDOW_MS - nowMs()) / 1000));
    },
    count(address) {
      const network = networkOf(address);
      const times = [...recent(network), nowMs()].slice(-WRONG_MAX);
      wrong.delete(network);
      wrong.set(network, times);
      // However many networks there are, the list stays short; the one that was quiet longest is forgotten.
      for (const oldest of wrong.keys()) if (wrong.size > NETWORKS_MAX) wrong.delete(oldest);
    },
  };
}

/**
 * Who has one address of IPv6 has all that begin with the same half of it. One of IPv4 may be written as one of IPv6. Anything
 * else stands for itself.
 */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  // The one spelling of an address that addresses of pages have.
  const [head = [], tail = []] = new URL(`http://[${plain}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}
