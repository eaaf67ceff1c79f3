import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All public IPv6 addresses are in this range. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Every text except a public IP address counts as private. `::ffff:10.0.0.1` counts as an IPv4 address. */
export function isPrivateAddress(address: string): boolean {
  // The library accepts more than IP addresses, such as `0x7f.1`.
  if (isIP(address) === 0) return true;
  const found = ipaddr.process(address);
  return found.range() !== 'unicast' || (found instanceof ipaddr.IPv6 && !found.match(GLOBAL_IPV6));
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
