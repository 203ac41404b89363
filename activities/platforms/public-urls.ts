// Public URLs of media, for networks that fetch files instead of taking bytes. Each URL is for one target and
// one file, and can't be guessed.
import { isIP } from 'node:net';
import type { Vault } from '../../schema/database/vault.ts';
import type { PlatformDefinition } from '../../schema/platforms/definition.ts';
import { classifyAddress } from '../egress/address-rules.ts';

/** What a public URL leads to. For a check of an account: the ID of the check and the name of its image. */
export interface PublicMedia {
  projectId: string;
  resultId: string;
  mediaId: string;
}

export interface PublicUrls {
  /** `contentType`: one of `publicTypes`. `forMs`: at most 25 hours. */
  urlOf(media: PublicMedia, contentType: string, forMs: number): string;
  /** Undefined: the token was not made by this installation, or has expired. */
  read(token: string): PublicMedia | undefined;
}

/** Types without scripts, each with the file extension in its URL. Networks check both. */
export const publicTypes: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/webm', 'webm'],
]);

/** Networks keep a container that they make from a file for a day. */
const maxMs = 25 * 3_600_000;
const context = 'public_media';

/** `baseUrl`: without a slash at the end. */
export function createPublicUrls(vault: Vault, baseUrl: string, now = Date.now): PublicUrls {
  return {
    urlOf({ projectId, resultId, mediaId }, contentType, forMs) {
      const extension = publicTypes.get(contentType);
      if (extension === undefined) throw new Error(`No public URL serves ${contentType}.`);
      const expiresAtMs = now() + Math.min(forMs, maxMs);
      const { keyId, ciphertext } = vault.seal(
        JSON.stringify([projectId, resultId, mediaId, expiresAtMs]),
        context,
      );
      return `${baseUrl}/media/${keyId}~${ciphertext.toString('base64url')}/1.${extension}`;
    },

    read(token) {
      const [keyId = '', text = ''] = token.split('~');
      if (!vault.hasKey(keyId)) return undefined;
      try {
        const opened = vault.open({ keyId, ciphertext: Buffer.from(text, 'base64url') }, context);
        const [projectId, resultId, mediaId, expiresAtMs] = JSON.parse(opened) as [
          string,
          string,
          string,
          number,
        ];
        return expiresAtMs > now() ? { projectId, resultId, mediaId } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** A token in a URL, percent-encoded up to twice. In JSON, the slashes may be escaped. */
const tokenInUrl = /(\\?\/|%(?:25)?2F)media\1[\w-]+(?:~|%(?:25)?7E)[\w-]{40,}/gi;

/** A network may repeat the URL of a file in its errors. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(tokenInUrl, '$1media$1[redacted]');

/**
 * Whether the network can fetch media from this installation. A network that this installation reaches at a private
 * address, such as a simulator, can reach a private address too.
 */
export function canFetchMedia(
  { needsPublicMedia }: Pick<PlatformDefinition, 'needsPublicMedia'>,
  settings: object,
  mediaUrl: string,
): boolean {
  if (!needsPublicMedia || isPublic(mediaUrl)) return true;
  return 'apiUrl' in settings && !isPublic(String(settings.apiUrl));
}

/** A hostname is not resolved. Only its form is checked here. */
function isPublic(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:') return false;
  const host = hostname.replaceAll(/^\[|\]$|\.$/g, '');
  if (isIP(host) > 0) return classifyAddress(host, []) === 'public';
  // RFC 6761, RFC 6762 and RFC 8375. A name without a dot belongs to a local network.
  return host.includes('.') && !/\.(?:localhost|local|internal|home\.arpa)$/.test(host);
}
