// The guard of every URL that a user gives: which hosts may be connected to, and at which address.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { toCidrs } from '../schema/cidrs.ts';
import { checkUrlSyntax, refuseUrl } from '../schema/url-rules.ts';
import type { UrlRefusal } from '../schema/url-rules.ts';
import { judgeAddress } from './address-rules.ts';
import { createHostLookup } from './host-lookup.ts';
import type { Resolve } from './host-lookup.ts';
import { within } from './within.ts';

export type UrlVerdict = { ok: true; url: URL } | UrlRefusal;

export interface UrlGuardOptions {
  /** Ranges let through although they aren't public; hosts in them may be reached by `http:` too. */
  allowPrivateCidrs: readonly string[];
  /** All addresses of a name. Tests put their own in; the default asks the system. */
  lookup?: Resolve;
  /** How long `check` waits for the resolver before it accepts a name unresolved. */
  checkTimeoutMs?: number;
}

export interface UrlGuard {
  /**
   * Judges a URL when it is given. A name that can't be resolved yet is accepted: it may come later,
   * and every connection is judged again.
   */
  check(text: string): Promise<UrlVerdict>;
  /** Throws `BlockedAddressError` for a literal address that may not be reached; names pass. */
  checkLiteral(hostname: string, protocol: string): void;
  /** Resolves once and hands out only what was judged, so that what is connected to was checked. */
  lookupFor(protocol: string): LookupFunction;
}

/** Its message names no address that was resolved: that would tell a stranger about our network. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'blocked_address';
}

export function createUrlGuard(options: UrlGuardOptions): UrlGuard {
  const allowed = toCidrs(options.allowPrivateCidrs);
  const resolve = shareLookups(options.lookup ?? createHostLookup());
  const checkTimeoutMs = options.checkTimeoutMs ?? 3_000;

  /** One blocked address spoils the name: which of several is used isn't for chance to decide. */
  function judgeAll(addresses: readonly string[], hostname: string, protocol: string) {
    const verdicts = addresses.map((address) => judgeAddress(address, allowed));
    if (verdicts.includes('blocked')) {
      return refuseUrl('blocked_address', `${hostname} leads to an address that isn't public.`);
    }
    if (protocol !== 'https:' && verdicts.some((verdict) => verdict !== 'allowed')) {
      return refuseUrl('not_https', 'The URL must begin with https://.');
    }
    return null;
  }

  async function check(text: string): Promise<UrlVerdict> {
    const syntax = checkUrlSyntax(text);
    if (!syntax.ok) return syntax;
    const { url } = syntax;
    const hostname = bareHostname(url.hostname);
    const addresses = isIP(hostname)
      ? [hostname]
      : await within(
          checkTimeoutMs,
          resolve(hostname).then(toTexts, () => null),
        );
    const refusal = addresses?.length ? judgeAll(addresses, hostname, url.protocol) : null;
    if (refusal) return refusal;
    // Without an address nothing shows that an http: host lies in an allowed range.
    if (!addresses?.length && url.protocol !== 'https:') {
      return refuseUrl('not_https', 'The URL must begin with https://.');
    }
    return { ok: true, url };
  }

  function checkLiteral(hostname: string, protocol: string): void {
    const bare = bareHostname(hostname);
    const refusal = isIP(bare) ? judgeAll([bare], bare, protocol) : null;
    if (refusal) throw new BlockedAddressError(refusal.message);
  }

  async function resolveChecked(hostname: string, protocol: string) {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw noAddress(hostname);
    const refusal = judgeAll(toTexts(addresses), hostname, protocol);
    if (refusal) throw new BlockedAddressError(refusal.message);
    return addresses;
  }

  function lookupFor(protocol: string): LookupFunction {
    return (hostname, lookupOptions, callback) => {
      const answer = resolveChecked(hostname, protocol).then((addresses) => {
        const fitting = ofFamily(addresses, lookupOptions);
        if (fitting.length === 0) throw noAddress(hostname);
        return fitting;
      });
      // The next tick, so that what the callback throws isn't taken for a failed lookup.
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

/** Twenty connections to one host, opened at once, need one answer. */
function shareLookups(resolve: Resolve): Resolve {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  return (hostname) => {
    const name = resolverName(hostname);
    const known = running.get(name);
    if (known) return known;
    const lookup = resolve(name).finally(() => running.delete(name));
    running.set(name, lookup);
    return lookup;
  };
}

/** Every name below `localhost` is loopback, whether or not the system's resolver knows it. */
function resolverName(hostname: string): string {
  const name = hostname.replace(/\.$/, '');
  return name.endsWith('.localhost') ? 'localhost' : name;
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

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`No address for ${hostname}.`), { code: 'ENOTFOUND' });
}
