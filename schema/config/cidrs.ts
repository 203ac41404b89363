// Lists of IP address ranges in CIDR notation.
import ipaddr from 'ipaddr.js';

export interface Cidr {
  readonly text: string;
  readonly range: [ipaddr.IPv4 | ipaddr.IPv6, number];
}

/** Parses a list such as `127.0.0.0/8, ::1/128`. Each invalid entry becomes an issue. */
export function parseCidrs(text: string) {
  const cidrs: string[] = [];
  const issues: string[] = [];
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    if (readCidr(entry)) cidrs.push(entry);
    else issues.push(`"${entry}" isn't an address range such as 10.0.0.0/8 or fd00::/8.`);
  }
  return { cidrs, issues };
}

/** Converts lists that `parseCidrs` has checked. */
export function toCidrs(texts: readonly string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = readCidr(text);
    if (!cidr) throw new TypeError(`"${text}" isn't an address range.`);
    return cidr;
  });
}

// Parsers disagree about octal and hexadecimal octets, so only decimal ones are allowed.
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
