// ES256 key pairs. With its key pair, an app or a login proves that it sent a request. A private key is
// stored as JWK.
import { randomUUID, type webcrypto } from 'node:crypto';
import { z } from 'zod';

const es256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

const PublicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
});
const PrivateJwk = PublicJwk.extend({ d: z.string() });
export type PublicJwk = z.infer<typeof PublicJwk>;

/** Returns the private key as JSON. @see RFC 7517 */
export async function createPrivateJwk(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey(es256, true, ['sign', 'verify']);
  const jwk = await crypto.subtle.exportKey('jwk', privateKey);
  return JSON.stringify(PrivateJwk.parse({ ...jwk, kid: randomUUID() }));
}

export function toPublicJwk(privateJwk: string): PublicJwk {
  return PublicJwk.parse(JSON.parse(privateJwk));
}

/** Only the public key can be exported. */
export async function openKeyPair(
  privateJwk: string,
): Promise<webcrypto.CryptoKeyPair & { kid: string }> {
  const { d, ...jwk } = PrivateJwk.parse(JSON.parse(privateJwk));
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey('jwk', { ...jwk, d }, es256, false, ['sign']),
    crypto.subtle.importKey('jwk', jwk, es256, true, ['verify']),
  ]);
  return { privateKey, publicKey, kid: jwk.kid };
}
