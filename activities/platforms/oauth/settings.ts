// The settings of OAuth 2 that differ between networks.
import type * as oauth from 'oauth4webapi';

/** How a network implements OAuth 2. */
export interface OAuthNetwork {
  /** Title of the network. */
  network: string;
  /** The callback must name it: RFC 9207. Absent: the network names none. */
  issuer?: string;
  authorizationEndpoint: string;
  /** Takes the request, so the address of the consent page has only a reference: RFC 9126. */
  pushedRequestEndpoint?: string;
  tokenEndpoint: string;
  /** Absent: logins can't be revoked. @see RFC 7009 */
  revocationEndpoint?: string | undefined;
  /** A revoked refresh token leaves the access token. Default: false. */
  endsTokensAlone?: boolean;
  /**
   * How the app proves its secret: as HTTP Basic, in the form, or by a signature (RFC 7523), for which the
   * secret is a private JWK. Ignored without a secret.
   */
  clientAuth: 'basic' | 'post' | 'private_key_jwt';
  /** Signs every request, so that its tokens work only with this key: RFC 9449. */
  dpop?: oauth.DPoPHandle;
  /** Asked for at the consent page. */
  scopes: readonly string[];
  /** Default: true. */
  hasPkce?: boolean;
  /** Other parameters of the consent page. */
  parameters?: Record<string, string>;
  /** Whom the tokens are for, as more credentials of the login. Throws if they can't be used. */
  identify?(answer: oauth.TokenEndpointResponse): Record<string, string>;
  /** The login is useless without a refresh token. Default: false. */
  needsRefreshToken?: boolean;
  /** Whether this refusal of a refresh ends the login. Default: `invalid_grant`, as RFC 6749 says. */
  endsLogin?(code: string, description: string | undefined): boolean;
}
