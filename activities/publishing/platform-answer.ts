// What a network answers, as it enters the engine: only what can be stored, and no more than is shown.
import type { Traits } from '../../schema/platforms/definition.ts';
import type { PhaseOutcome } from './call-phase.ts';
import type {
  Connection,
  Credentials,
  ProviderState,
  Published,
  RefreshedCredentials,
} from '../platforms/platform.ts';
import { PlatformError, type PlatformErrorKind } from '../platforms/platform-error.ts';
import { cutJson, cutText } from '../platforms/storable.ts';

const maxMessageChars = 1_000;
const maxCodeChars = 200;
/** The longest ids are AT URIs, of at most 8 kilobytes. https://atproto.com/specs/at-uri-scheme */
const maxIdChars = 8_192;
/** Longer links don't work in every browser. No specification gives a number. */
const maxUrlChars = 2_048;
/** The longest account ids are DIDs, of at most 2,048 characters. https://atproto.com/specs/did */
const maxAccountIdBytes = 2_048;
/**
 * The longest names are `<user>@<host>`, of 64 and 255 octets: RFC 5321, section 4.5.3.1. Handles of
 * Bluesky have at most 253 characters: https://atproto.com/specs/handle
 */
const maxNameChars = 320;
/** Of all together. Tokens travel in headers, for which Node's servers have 16 KiB. */
const maxCredentialsBytes = 16_384;
/** Of all together. A scope of RFC 6749, section 3.3, has no bound; they come with the tokens. */
const maxScopeChars = 16_384;
/** Years have four digits: RFC 3339, section 5.6. */
const endOfTime = Date.UTC(10_000, 0);
const maxProviderBytes = 4_096;
const maxStateBytes = 65_536;
const maxTraitsBytes = 4_096;
/** Says of a network's own answer that it was longer. */
const cutMark = { is_cut: true };

/** The error with words, codes and an answer that can be kept. */
export function takeError(error: PlatformError): PlatformError {
  const { platformCode, providerError, ...options } = error.options;
  return new PlatformError(error.kind, cutText(error.message, maxMessageChars), {
    ...options,
    platformCode: platformCode && cutText(platformCode, maxCodeChars),
    providerError: providerError && takeProviderJson(providerError),
  });
}

/** Throws if the account can't be stored, shown or used, so that nothing is connected. */
export function takeConnection(connection: Connection): Connection {
  const { externalAccountId, accountName, scope, tokenExpiresAt } = connection;
  if (!isAccountId(externalAccountId)) throw unusable('an account id');
  if (!isName(accountName)) throw unusable('an account name');
  if (!scope.every(isText) || scope.join(' ').length > maxScopeChars) throw unusable('a scope');
  if (!areUsable(connection.credentials)) throw unusable('credentials');
  if (takeExpiry(tokenExpiresAt) !== tokenExpiresAt) throw unusable('an expiry');
  if (!areKeepable(connection.traits)) throw unusable('traits');
  return connection;
}

/** Drops an unusable expiry, name or id: refusing it would lose the account's only tokens. */
export function takeRefreshed({
  accountName,
  externalAccountId,
  credentials,
  tokenExpiresAt,
  traits,
}: RefreshedCredentials): RefreshedCredentials {
  if (!areUsable(credentials)) throw unusable('credentials', 'rejected');
  return {
    credentials,
    tokenExpiresAt: takeExpiry(tokenExpiresAt),
    ...(accountName !== undefined && isName(accountName) && { accountName }),
    ...(traits && areKeepable(traits) && { traits }),
    ...(externalAccountId !== undefined && isAccountId(externalAccountId) && { externalAccountId }),
  };
}

function unusable(what: string, kind: PlatformErrorKind = 'unavailable'): PlatformError {
  return new PlatformError(kind, `The network answered with ${what} that can't be used.`);
}

function isAccountId(text: string): boolean {
  return isText(text) && Buffer.byteLength(text) <= maxAccountIdBytes;
}

function isName(text: string): boolean {
  return isText(text) && text.length <= maxNameChars;
}

/** Postgres holds all of it. */
function isText(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0') && text.isWellFormed();
}

function areUsable(credentials: Credentials): boolean {
  return (
    Object.values(credentials).every((text) => isText(text) && !/[\r\n]/.test(text)) &&
    Buffer.byteLength(JSON.stringify(credentials)) <= maxCredentialsBytes
  );
}

/** They are a few limits and names. */
function areKeepable(traits: Traits = {}): boolean {
  return !cutJson(traits, maxTraitsBytes).isCut;
}

/** More than any clock of ours is off. */
const clockErrorMs = 86_400_000;

/** Null: no expiry, or one that is long past or not a time. */
function takeExpiry(expiresAt: Date | null): Date | null {
  const ms = expiresAt?.getTime() ?? Number.NaN;
  return ms > Date.now() - clockErrorMs && ms < endOfTime ? expiresAt : null;
}

/** What shows no post is an outcome that nobody knows yet. */
export function takeOutcome(outcome: PhaseOutcome): PhaseOutcome {
  switch (outcome.outcome) {
    case 'published': {
      const published = takePublished(outcome.published);
      return published ? { ...outcome, published } : { outcome: 'unknown' };
    }
    case 'accepted': {
      const state = takeState(outcome.state);
      return state ? { ...outcome, state } : { outcome: 'unknown' };
    }
    case 'prepared': {
      const state = takeState(outcome.state);
      if (state) return { ...outcome, state };
      throw new PlatformError('unavailable', 'The network answered more than can be kept.');
    }
    case 'absent':
    case 'unknown':
      return outcome;
  }
}

/** Undefined: without an id it proves nothing. */
function takePublished({ externalId, url, detail }: Published): Published | undefined {
  const id = cutText(externalId, maxIdChars);
  if (id.trim() === '') return undefined;
  return {
    externalId: id,
    url: url === null ? null : takeUrl(url),
    ...(detail && { detail: takeProviderJson(detail) }),
  };
}

/** Pages show it as a link. */
function takeUrl(url: string): string | null {
  const { protocol } = URL.parse(url) ?? {};
  const isLink = protocol === 'https:' || protocol === 'http:';
  return isLink && url.length <= maxUrlChars && cutText(url, maxUrlChars) === url ? url : null;
}

/** Undefined: half of it would be worth nothing. */
function takeState(state: ProviderState): ProviderState | undefined {
  const { kept, isCut } = cutJson(state, maxStateBytes);
  return isCut ? undefined : kept;
}

function takeProviderJson(given: Record<string, unknown>): Record<string, unknown> {
  const whole = cutJson(given, maxProviderBytes);
  if (!whole.isCut) return whole.kept;
  const room = maxProviderBytes - Buffer.byteLength(JSON.stringify(cutMark));
  return { ...cutJson(given, room).kept, ...cutMark };
}
