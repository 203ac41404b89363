// The IP addresses that a user's URL may lead to: public addresses, and the operator's list.
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../../schema/config/cidrs.ts';

export type AddressClass = 'public' | 'allowed' | 'blocked';

/** Azure's host. It is in a public range, but every machine reaches its own metadata there. */
const metadataHosts = new Set(['168.63.129.16']);
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** ISATAP's interface identifiers, ::5efe:a.b.c.d with either value of their universal bit. */
const isatapMarks = new Set([0x0000_5efe, 0x0200_5efe]);

/**
 * Allowed ranges come first. Otherwise, IPv4 must be ordinary unicast, and IPv6 ordinary unicast inside
 * 2000::/3 and not ISATAP. This excludes every form that contains an IPv4 address.
 */
export function classifyAddress(address: string, allowed: readonly Cidr[]): AddressClass {
  if (!ipaddr.isValid(address)) return 'blocked';
  const parsed = ipaddr.parse(address);
  for (const { range } of allowed) {
    if (range[0].kind() === parsed.kind() && parsed.match(range)) return 'allowed';
  }
  if (parsed.range() !== 'unicast' || metadataHosts.has(parsed.toString())) return 'blocked';
  if (parsed instanceof ipaddr.IPv6 && (!parsed.match(globalUnicast) || isIsatap(parsed))) {
    return 'blocked';
  }
  return 'public';
}

/** An ISATAP router forwards packets to the IPv4 address in the interface identifier, which may be private. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return isatapMarks.has((parts[4] ?? 0) * 0x1_0000 + (parts[5] ?? 0));
}
