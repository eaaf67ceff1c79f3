import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whatever stands outside is for special use, or holds an IPv4 address in a form of its own. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to this machine, a private network or one kept for special use. IPv4 addresses written as
 * IPv6 (`::ffff:10.0.0.1`) are judged as what they are. What is no IP address counts as private: it proves nothing.
 */
export function isPrivateAddress(address: string): boolean {
  // The library reads more as an address, such as `0x7f.1`.
  if (isIP(address) === 0) return true;
  const found = ipaddr.process(address);
  return found.range() !== 'unicast' || (found instanceof ipaddr.IPv6 && !found.match(GLOBAL_IPV6));
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

/** A host name of a URL, IP addresses out of their brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
