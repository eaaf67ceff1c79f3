import { BlockList, isIP } from 'node:net';

/** Networks that nobody reaches from outside (IANA's special-purpose registries), by version. */
const PRIVATE_NETWORKS = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ],
  // The last five hold an IPv4 address, which may be a private one, behind a form of their own.
  ipv6: [
    ...['::/127', '100::/64', '2001:db8::/32', '3fff::/20', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
    ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  ],
} as const;

const privateNetworks = new BlockList();
for (const version of ['ipv4', 'ipv6'] as const) {
  for (const network of PRIVATE_NETWORKS[version]) {
    const [address = '', bits] = network.split('/');
    privateNetworks.addSubnet(address, Number(bits), version);
  }
}
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether an IP address belongs to this machine, a private network or one kept for special use. IPv4 addresses written as
 * IPv6 (`::ffff:10.0.0.1`) are judged as what they are. What is no IP address counts as private: it proves nothing.
 */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  return version === 0 || privateNetworks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an IP address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** A host name of a URL, IP addresses out of their brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
