// Lists of address ranges, as an operator writes them.
import ipaddr from 'ipaddr.js';

export interface Cidr {
  readonly text: string;
  readonly range: [ipaddr.IPv4 | ipaddr.IPv6, number];
}

export interface CidrList {
  cidrs: string[];
  faults: string[];
}

/** Reads a list such as `127.0.0.0/8, ::1/128`; every entry that isn't a range is a fault. */
export function parseCidrs(text: string): CidrList {
  const list: CidrList = { cidrs: [], faults: [] };
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    if (readCidr(entry)) list.cidrs.push(entry);
    else list.faults.push(`"${entry}" isn't an address range such as 10.0.0.0/8 or fd00::/8.`);
  }
  return list;
}

/** For lists that were checked already: a fault here is the program's own. */
export function toCidrs(texts: readonly string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = readCidr(text);
    if (!cidr) throw new TypeError(`"${text}" isn't an address range.`);
    return cidr;
  });
}

// Octal and hexadecimal octets are read in two ways in the wild, so a range must be plainly written.
function readCidr(text: string): Cidr | null {
  const [address = '', ...rest] = text.split('/');
  const plain = ipaddr.IPv4.isValidFourPartDecimal(address) || address.includes(':');
  if (!plain || rest.length !== 1 || !/^\d{1,3}$/.test(rest[0] ?? '')) return null;
  try {
    return { text, range: ipaddr.parseCIDR(text) };
  } catch {
    return null;
  }
}
