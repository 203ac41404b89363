// Which IP addresses a URL given by a user may lead to: public ones, and those in the operator's list.
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../../schema/config/cidrs.ts';

export type AddressVerdict = 'public' | 'allowed' | 'blocked';

/** Azure's host: an address of the public ranges, behind which every machine finds its own metadata. */
const metadataHosts = new Set(['168.63.129.16']);
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** ISATAP's interface identifiers, ::5efe:a.b.c.d with either value of their universal bit. */
const isatapMarks = new Set([0x0000_5efe, 0x0200_5efe]);

/**
 * An allowed range is looked at first. Beyond it IPv4 must be ordinary unicast, and IPv6 ordinary
 * unicast inside 2000::/3 and not ISATAP, which leaves out every form that carries an IPv4 address.
 */
export function judgeAddress(address: string, allowed: readonly Cidr[]): AddressVerdict {
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

/** A router of such a site sends it on to the IPv4 address, be it private. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return isatapMarks.has((parts[4] ?? 0) * 0x1_0000 + (parts[5] ?? 0));
}
