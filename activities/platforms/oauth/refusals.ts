// Refusals by a network, as errors that say whether the login has ended.
import * as oauth from 'oauth4webapi';
import { hasCode, PlatformError } from '../platform-error.ts';
import { toRefusal, toSurprise } from '../refusal.ts';
import { toTransportError } from '../transport-errors.ts';
import type { OAuthNetwork } from './settings.ts';

/** The network sent the user back without a code: RFC 6749, section 4.1.2.1. */
export function refusedConsent(
  network: string,
  { error, error_description }: Record<string, string>,
) {
  const words = error_description ?? error ?? 'it gave no code';
  return new PlatformError('rejected', `${network} refused the login: ${words}`, {
    platformCode: error,
  });
}

export const isUnknownClient = (error: unknown) => hasCode(error, 'invalid_client');

/** Whether the answer has an error code of OAuth. A page of a proxy has none. */
export const isOAuthRefusal = (error: unknown) =>
  error instanceof PlatformError &&
  error.kind === 'rejected' &&
  error.options.providerError?.['code'] !== undefined;

/** For a refused refresh. All other codes are about the app or the server, so the login may still be good. */
const isInvalidGrant = (code: string) => code === 'invalid_grant';

export function explain(
  error: unknown,
  {
    network,
    endsLogin = isInvalidGrant,
    secrets,
    isRefresh,
  }: Pick<OAuthNetwork, 'network' | 'endsLogin'> & { secrets: string[]; isRefresh: boolean },
): PlatformError {
  const kind = isRefresh ? 'commit' : 'other';
  if (error instanceof oauth.ResponseBodyError) {
    const { status, response, error: code, error_description: message } = error;
    const answer = { status, headers: response.headers, body: undefined };
    const refusal = { network, kind: 'other', answer, secrets, code, message } as const;
    const afterRefresh = endsLogin(code, message) ? 'reauthorize' : 'unavailable';
    const verdict = isRefresh ? afterRefresh : 'rejected';
    return toRefusal({ ...refusal, verdict: status === 429 ? 'rate_limited' : verdict });
  }
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error;
    if (!(cause instanceof Response) || cause.ok) return toSurprise(network, kind);
    const answer = { status: cause.status, headers: cause.headers, body: undefined };
    const verdict = isRefresh && cause.status < 429 ? 'unavailable' : undefined;
    return toRefusal({ network, kind, answer, secrets, verdict });
  }
  return toTransportError(error, kind);
}
