// DNS for names that users give: asynchronous, limited, and preceded by the hosts file.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { createHostsLookup } from './hosts-file.ts';
import { createLookupLimits, isSilence, unresolved } from './lookup-limits.ts';

/** Returns all addresses of a name. `owner`: the project whose share of lookups is used. */
export type Resolve = (hostname: string, owner: string) => Promise<readonly LookupAddress[]>;

export interface Dns {
  addresses: Resolve;
  /** TXT records, each as one text; null: the name has none. Rejects if no name server answers. */
  texts(name: string, owner: string): Promise<string[] | null>;
}

export interface DnsOptions {
  /** Name servers as `address` or `address:port`; default: the system's. */
  servers?: readonly string[];
  hostsPath?: string;
}

const answerWithinMs = 2_000;
/** Leaves time for a second query if the first one is lost. */
const questionTimeoutMs = 600;
/** Codes of c-ares that mean "there is no such record". */
const absentCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);

export function createDns({ servers = [], hostsPath }: DnsOptions = {}): Dns {
  const findInHosts = createHostsLookup(hostsPath);
  const limited = createLookupLimits();

  /**
   * Makes a new resolver each time, because name servers change, and silence about one name must not affect
   * others.
   */
  async function ask<T>(work: (resolver: Resolver) => Promise<T>): Promise<T> {
    const resolver = new Resolver({ timeout: questionTimeoutMs, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), answerWithinMs);
    try {
      return await work(resolver);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async addresses(hostname, owner) {
      const name = toPlainName(hostname);
      const known = await findInHosts(name);
      if (known.length > 0) return known;
      return limited(name, owner, () => ask((resolver) => askBothFamilies(resolver, name)));
    },
    async texts(hostname, owner) {
      const name = toPlainName(hostname);
      try {
        const records = await limited(name, owner, () => ask((r) => r.resolveTxt(name)));
        return records.map((parts) => parts.join(''));
      } catch (error) {
        if (isAbsence(error)) return null;
        throw error;
      }
    },
  };
}

/** Addresses of one family count even if the other family's query is never answered. */
async function askBothFamilies(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const [four, six] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const found = [...toAddresses(four!, 4), ...toAddresses(six!, 6)];
  if (found.length > 0) return found;
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  throw errors.find(isSilence) ?? unresolved(name, !errors.every(isAbsence));
}

function toAddresses(addresses: string[], family: 4 | 6): LookupAddress[] {
  return addresses.map((address) => ({ address, family }));
}

/** Every name below `localhost` is loopback, even if the hosts file doesn't list it. */
function toPlainName(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name.endsWith('.localhost') ? 'localhost' : name;
}

function isAbsence(error: unknown): boolean {
  return absentCodes.has((error as NodeJS.ErrnoException).code ?? '');
}
