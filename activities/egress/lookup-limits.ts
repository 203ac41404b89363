// Limits of DNS lookups, so that names without an answer delay only their own project.
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { getDomain } from 'tldts';
import { createKeyedLimit } from '../keyed-limits.ts';

/** `owner`: the project whose share of lookups is used. */
export type LimitLookup = <T>(name: string, owner: string, ask: () => Promise<T>) => Promise<T>;

/** Maximum number of lookups at a time. A lookup holds a socket, but no thread. */
const maxLookups = 200;
const maxOfOwner = 20;
/** Names below one registrable domain usually share their name servers, which may all be silent. */
const maxOfDomain = 10;
/** The longest wait for a lookup to begin. */
const beginWithinMs = 5_000;
/** This time is shorter than the 30 s to the first retry of a delivery, so the retry asks again. */
const silentForMs = 25_000;
const maxSilentNames = 10_000;

export function createLookupLimits(): LimitLookup {
  const inAll = pLimit(maxLookups);
  const ofDomain = createKeyedLimit(maxOfDomain);
  const ofOwner = createKeyedLimit(maxOfOwner);
  const ofOwnersDomain = createKeyedLimit(maxOfDomain);
  const silentNames = new LRUCache<string, true>({ max: maxSilentNames, ttl: silentForMs });

  /**
   * Enters the narrowest limit first: lookups of the project for the domain, then of the project, then for
   * the domain, then all lookups. So a waiting lookup holds no slot that other projects need, and one domain
   * uses at most half of a project's slots.
   */
  return async (name, owner, ask) => {
    const beginBefore = performance.now() + beginWithinMs;
    const giveUpLate = () => {
      if (silentNames.has(name) || performance.now() > beginBefore) throw unresolved(name, true);
    };
    const begin = async () => {
      giveUpLate();
      try {
        return await ask();
      } catch (error) {
        if (!isSilence(error)) throw error;
        silentNames.set(name, true);
        throw unresolved(name, true);
      }
    };
    if (silentNames.has(name)) throw unresolved(name, true);
    const domain = domainOf(name);
    return ofOwnersDomain(`${owner} ${domain}`, async () => {
      giveUpLate();
      return ofOwner(owner, () => ofDomain(domain, () => inAll(begin)));
    });
  };
}

/** The registered domain: `example.co.uk` for `a.b.example.co.uk`. */
function domainOf(name: string): string {
  return getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name;
}

/** c-ares had no answer in time. */
export function isSilence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ETIMEOUT' || code === 'ECANCELLED';
}

/** The error has the same codes as the system's own lookup. */
export function unresolved(hostname: string, mayComeLater = false): NodeJS.ErrnoException {
  const code = mayComeLater ? 'EAI_AGAIN' : 'ENOTFOUND';
  return Object.assign(new Error(`No address for ${hostname}.`), { code });
}
