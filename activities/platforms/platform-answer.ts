// Validates and shortens the answers of networks before the engine stores or shows them.
import type { Traits } from '../../schema/platforms/definition.ts';
import type {
  Begun,
  CommitOutcome,
  Credentials,
  Finished,
  FollowUpOutcome,
  Grant,
  GrantedAccount,
  Inspection,
  PrepareOutcome,
  ProviderState,
  Published,
  ReconcileOutcome,
  RefreshedCredentials,
} from './platform.ts';
import { PlatformError, readWaitMs, type PlatformErrorKind } from './platform-error.ts';
import { findMissingScopes, lacksPermissions } from './wrong-credential.ts';
import { cutJson, cutText, toStorable } from './storable.ts';

export type PhaseOutcome = PrepareOutcome | CommitOutcome | ReconcileOutcome;

const maxMessageChars = 1_000;
const maxCodeChars = 200;
/** The longest ids are AT URIs, of at most 8 kilobytes. https://atproto.com/specs/at-uri-scheme */
const maxIdChars = 8_192;
/** Longer links don't work in every browser. No specification gives a number. */
const maxUrlChars = 2_048;
/** The URL contains the request. Servers should take request lines of 8,000 octets: RFC 9112, section 3. */
const maxConsentUrlChars = 8_000;
/** The longest account ids are DIDs, of at most 2,048 characters. https://atproto.com/specs/did */
const maxAccountIdBytes = 2_048;
/**
 * The longest names are `<user>@<host>`, of 64 and 255 octets: RFC 5321, section 4.5.3.1. Handles of
 * Bluesky have at most 253 characters: https://atproto.com/specs/handle
 */
const maxNameChars = 320;
/** A page lists all accounts of a login. */
const maxAccounts = 100;
/** All credentials together. Some logins have a token for each of 100 accounts. */
const maxCredentialsBytes = 32_768;
/** All scopes together. RFC 6749, section 3.3, sets no limit. */
const maxScopeChars = 16_384;
/** Years have four digits: RFC 3339, section 5.6. */
const endOfTime = Date.UTC(10_000, 0);
const maxProviderBytes = 4_096;
const maxStateBytes = 65_536;
const maxTraitsBytes = 4_096;

/**
 * Connectors throw only PlatformErrors. Any other error is a bug in the connector, so the outcome of a commit
 * is unknown.
 */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return shortenError(error);
  return new PlatformError('unknown_outcome', 'The connector failed in the middle of the call.', {
    cause: error,
  });
}

/** Shortens the message, the codes and the answer. */
export function shortenError(error: PlatformError): PlatformError {
  const { platformCode, providerError, ...options } = error.options;
  return new PlatformError(error.kind, cutText(error.message, maxMessageChars), {
    ...options,
    platformCode: platformCode && cutText(platformCode, maxCodeChars),
    providerError: providerError && cutJson(providerError, maxProviderBytes),
  });
}

/** Throws if the grant can't be stored, shown or used, or lacks one of the needed scopes. */
export function readGrant(grant: Grant, neededScopes: readonly string[] = []): Grant {
  const { credentials, scope, tokenExpiresAt, accounts, notice } = grant;
  if (!areScopes(scope)) throw unusable('a scope');
  if (accounts.length > maxAccounts) {
    const message = `This login has more than ${maxAccounts} accounts. Allow fewer of them.`;
    throw new PlatformError('rejected', message);
  }
  if (accounts.length > 1 && bytesOf(credentials) > maxCredentialsBytes) {
    const message = 'This login has more accounts than Fanfare can keep. Allow fewer of them.';
    throw new PlatformError('rejected', message);
  }
  if (!areUsable(credentials)) throw unusable('credentials');
  if (readExpiry(tokenExpiresAt) !== tokenExpiresAt) throw unusable('an expiry');
  if (accounts.length === 0) {
    throw new PlatformError('rejected', 'This login has no account that can be connected.');
  }
  const ids = new Set(accounts.map(({ externalAccountId }) => externalAccountId));
  if (ids.size < accounts.length) throw unusable('a duplicate account');
  const missing = findMissingScopes(neededScopes, scope);
  if (missing.length > 0) throw lacksPermissions(missing);
  return {
    credentials,
    scope,
    tokenExpiresAt,
    accounts: accounts.map(readAccount),
    ...(notice !== undefined && { notice: cutText(notice, maxMessageChars) }),
  };
}

/** Throws if the user can't be sent to the URL, or the flow can't be stored. */
export function readBegun({ url, flow }: Begun): Begun {
  if (readUrl(url, maxConsentUrlChars) === null) throw unusable('an address');
  if (bytesOf(flow) > maxCredentialsBytes) throw unusable('a flow');
  return { url: new URL(url).href, flow };
}

function readAccount(account: GrantedAccount): GrantedAccount {
  const { externalAccountId, accountName, pictureUrl, traits, problem } = account;
  if (!isAccountId(externalAccountId)) throw unusable('an account id');
  if (!isName(accountName)) throw unusable('an account name');
  if (!areKeepable(traits)) throw unusable('traits');
  const picture = pictureUrl?.startsWith('https://') ? readUrl(pictureUrl) : null;
  return {
    ...account,
    pictureUrl: picture ?? undefined,
    problem: problem && cutText(problem, maxMessageChars),
  };
}

/** Throws if the scopes can't be stored. */
export function readInspection({ scope, accounts }: Inspection): Inspection {
  if (!areScopes(scope)) throw unusable('a scope');
  const shortened = accounts.map(({ externalAccountId, problem }) => ({
    externalAccountId,
    problem: problem && cutText(problem, maxMessageChars),
  }));
  return { scope, accounts: shortened };
}

/** Drops an unusable expiry, name or ID, because refusing the answer would lose the account's only tokens. */
export function readRefreshed(refreshed: RefreshedCredentials): RefreshedCredentials {
  const { accountName, externalAccountId, credentials, tokenExpiresAt, traits } = refreshed;
  if (!areUsable(credentials)) throw unusable('credentials', 'rejected');
  return {
    credentials,
    tokenExpiresAt: readExpiry(tokenExpiresAt),
    ...(accountName !== undefined && isName(accountName) && { accountName }),
    ...(traits && areKeepable(traits) && { traits }),
    ...(externalAccountId !== undefined && isAccountId(externalAccountId) && { externalAccountId }),
  };
}

function unusable(what: string, kind: PlatformErrorKind = 'unavailable'): PlatformError {
  return new PlatformError(kind, `The network answered with ${what} that can't be used.`);
}

function areScopes(scope: readonly string[]): boolean {
  return scope.every(isText) && scope.join(' ').length <= maxScopeChars;
}

function isAccountId(text: string): boolean {
  // The ID has no line break, because a form would change it.
  return isText(text) && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= maxAccountIdBytes;
}

function isName(text: string): boolean {
  return isText(text) && text.length <= maxNameChars;
}

/** Postgres can store the text. */
function isText(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0') && text.isWellFormed();
}

function areUsable(credentials: Credentials): boolean {
  return (
    Object.values(credentials).every((text) => isText(text) && !/[\r\n]/.test(text)) &&
    bytesOf(credentials) <= maxCredentialsBytes
  );
}

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));

function areKeepable(traits: Traits = {}): boolean {
  return toStorable(traits, maxTraitsBytes) !== undefined;
}

/** A network's clock and ours differ by less than this. */
const clockErrorMs = 86_400_000;

/** Null: there is no expiry, it passed long ago, or it is not a valid time. */
function readExpiry(expiresAt: Date | null): Date | null {
  const ms = expiresAt?.getTime() ?? Number.NaN;
  return ms > Date.now() - clockErrorMs && ms < endOfTime ? expiresAt : null;
}

/** An answer with an unusable post ID becomes `unknown`. */
export function readOutcome(outcome: PhaseOutcome): PhaseOutcome {
  switch (outcome.outcome) {
    case 'published': {
      const published = readPublished(outcome.published);
      return published ? { ...outcome, published } : { outcome: 'unknown' };
    }
    case 'accepted': {
      const state = toStorable(outcome.state, maxStateBytes);
      return state ? { ...outcome, state } : { outcome: 'unknown' };
    }
    case 'prepared':
      return { ...outcome, state: readPrepared(outcome.state) };
    case 'more': {
      const waitMs = readWaitMs(outcome.waitMs) ?? 0;
      return { ...outcome, state: readPrepared(outcome.state), waitMs };
    }
    case 'absent':
    case 'unknown':
    case 'stale':
      return outcome;
  }
}

/** Throws if the state can't be stored. Nothing is public yet, so the prepare may be repeated. */
function readPrepared(state: ProviderState): ProviderState {
  const storable = toStorable(state, maxStateBytes);
  if (storable) return storable;
  throw new PlatformError('unavailable', 'The network answered with more than Fanfare can store.');
}

/** Undefined: the ID can't be used, so it proves nothing. A network without IDs returns null. */
function readPublished(published: Published): Published | undefined {
  const { externalId, url, visibility, nextAction, detail, followUp } = published;
  const id = externalId === null ? null : cutText(externalId, maxIdChars);
  if (id?.trim() === '') return undefined;
  return {
    externalId: id,
    url: url === null ? null : readUrl(url),
    visibility: visibility === null ? null : cutText(visibility, maxCodeChars),
    ...(nextAction && { nextAction }),
    ...(detail && { detail: cutJson(detail, maxProviderBytes) }),
    ...(followUp && readFollowed(followUp)),
  };
}

/** Without a state that can be stored, nothing is asked later. The post is public all the same. */
function readFollowed({ state, forMs }: Required<Published>['followUp']) {
  const storable = toStorable(state, maxStateBytes);
  return storable && { followUp: { state: storable, forMs: readWaitMs(forMs) ?? 0 } };
}

/** Drops what can't be stored or shown. */
export function readFollowUp(outcome: FollowUpOutcome): FollowUpOutcome {
  if (outcome.outcome === 'gone') return outcome;
  const finished = readFinished(outcome.finished ?? {});
  if (outcome.outcome === 'done') return { ...outcome, finished };
  return { ...outcome, finished, waitMs: readWaitMs(outcome.waitMs) ?? 0 };
}

function readFinished({ externalId, url, visibility }: Finished): Finished {
  return {
    ...(externalId?.trim() && { externalId: cutText(externalId, maxIdChars) }),
    ...(url && { url: readUrl(url) }),
    ...(visibility && { visibility: cutText(visibility, maxCodeChars) }),
  };
}

/** Null: the URL can't be shown as a link. */
export function readUrl(url: string, maxChars = maxUrlChars): string | null {
  const { protocol } = URL.parse(url) ?? {};
  const isLink = protocol === 'https:' || protocol === 'http:';
  return isLink && url.length <= maxChars && cutText(url, maxChars) === url ? url : null;
}
