// The guard for users' URLs: decides which hosts may be connected to, and at which address.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { toCidrs } from '../../schema/config/cidrs.ts';
import { checkUrlSyntax, refuseUrl, type UrlRefusal } from '../../schema/wire/url-rules.ts';
import { classifyAddress } from './address-rules.ts';
import { createDns, type Resolve } from './dns.ts';
import { unresolved } from './lookup-limits.ts';

export type UrlCheck = { ok: true; url: URL } | UrlRefusal;

export interface UrlGuardOptions {
  /** Ranges that are allowed although they aren't public. `http:` works only with hosts in them. */
  allowPrivateCidrs: readonly string[];
  /** All addresses of a name. Default: from the system's hosts file and name servers. */
  lookup?: Resolve;
}

export interface UrlGuard {
  /**
   * Checks a URL when a user enters it. A name with `https:` passes without a lookup, because every
   * connection is checked later, and a refusal that depended on the address would reveal our network. An
   * `http:` URL must lead to an allowed range.
   */
  check(text: string, owner: string): Promise<UrlCheck>;
  /** Throws `BlockedAddressError` for a literal address that is not allowed. Names pass. */
  checkLiteral(hostname: string, protocol: string): void;
  /** Resolves a name once and returns only checked addresses, so the socket connects to one of them. */
  lookupFor(protocol: string, owner: string): LookupFunction;
}

/** Thrown only for an address that the user wrote. For a name, this error would reveal addresses in our network. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'blocked_address';
}

export function createUrlGuard(options: UrlGuardOptions): UrlGuard {
  const allowed = toCidrs(options.allowPrivateCidrs);
  const resolve = shareLookups(options.lookup ?? createDns().addresses);

  /** One blocked address blocks the whole name, so that chance doesn't decide which address is used. */
  function judgeAll(addresses: readonly string[], hostname: string, protocol: string) {
    const classes = addresses.map((address) => classifyAddress(address, allowed));
    if (classes.includes('blocked')) {
      return refuseUrl('blocked_address', `${hostname} leads to an address that isn't public.`);
    }
    if (protocol !== 'https:' && classes.some((one) => one !== 'allowed')) {
      return refuseUrl('not_https', 'The URL must begin with https://.');
    }
    return null;
  }

  async function check(text: string, owner: string): Promise<UrlCheck> {
    const syntax = checkUrlSyntax(text);
    if (!syntax.ok) return syntax;
    const { url } = syntax;
    const hostname = bareHostname(url.hostname);
    const known = isIP(hostname) ? [hostname] : await loopbackOf(hostname, owner);
    const refusal = known.length > 0 ? judgeAll(known, hostname, url.protocol) : null;
    if (refusal) return refusal;
    if (known.length > 0 || url.protocol === 'https:' || (await leadsToAllowed(hostname, owner))) {
      return { ok: true, url };
    }
    return refuseUrl('not_https', 'The URL must begin with https://.');
  }

  /** `localhost` is resolved, since its address is no secret. */
  async function loopbackOf(hostname: string, owner: string): Promise<string[]> {
    return /(^|\.)localhost\.?$/.test(hostname) ? toTexts(await resolve(hostname, owner)) : [];
  }

  async function leadsToAllowed(hostname: string, owner: string): Promise<boolean> {
    if (allowed.length === 0) return false;
    const addresses = await resolve(hostname, owner).then(toTexts, () => []);
    return addresses.length > 0 && judgeAll(addresses, hostname, 'http:') === null;
  }

  function checkLiteral(hostname: string, protocol: string): void {
    const bare = bareHostname(hostname);
    const refusal = isIP(bare) ? judgeAll([bare], bare, protocol) : null;
    if (refusal) throw new BlockedAddressError(refusal.message);
  }

  /** The error for a name with a blocked address is the same as for a name that doesn't exist. */
  async function resolveChecked(hostname: string, protocol: string, owner: string) {
    const addresses = await resolve(hostname, owner);
    const refusal = judgeAll(toTexts(addresses), hostname, protocol);
    if (refusal || addresses.length === 0) throw unresolved(hostname);
    return addresses;
  }

  function lookupFor(protocol: string, owner: string): LookupFunction {
    return (hostname, lookupOptions, callback) => {
      const answer = resolveChecked(hostname, protocol, owner).then((addresses) => {
        const fitting = ofFamily(addresses, lookupOptions);
        if (fitting.length === 0) throw unresolved(hostname);
        return fitting;
      });
      // Called in the next tick, so that an error thrown by the callback doesn't count as a failed lookup.
      answer.then(
        ([...found]) => {
          if (lookupOptions.all) process.nextTick(callback, null, found);
          else process.nextTick(callback, null, found[0]?.address, found[0]?.family);
        },
        (error: NodeJS.ErrnoException) => process.nextTick(callback, error),
      );
    };
  }

  return { check, checkLiteral, lookupFor };
}

/** If one project opens twenty connections to the same host at once, they need only one lookup. */
function shareLookups(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return (hostname, owner) => {
    const key = `${owner} ${hostname}`;
    const known = running.get(key);
    if (known) return known;
    const lookup = resolve(hostname, owner).finally(() => running.delete(key));
    running.set(key, lookup);
    return lookup;
  };
}

function ofFamily(addresses: readonly LookupAddress[], options: LookupOptions) {
  const family = Number(String(options.family ?? 0).replace('IPv', ''));
  return family === 0 ? addresses : addresses.filter((address) => address.family === family);
}

function toTexts(addresses: readonly LookupAddress[]): string[] {
  return addresses.map(({ address }) => address);
}

function bareHostname(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
