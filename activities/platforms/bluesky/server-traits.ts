// What an account's server allows. The rules of the account depend on it.
import { z } from 'zod';
import type { Traits } from '../../../schema/platforms/definition.ts';
import type { Fetch } from '../platform.ts';
import { getDocument } from './lookup.ts';

/** The traits of the server's accounts. Undefined: the server doesn't answer now, and no login should fail for that. */
export type ReadTraits = (pds: string, signal: AbortSignal) => Promise<Traits | undefined>;

/** @see https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/server/describeServer.json */
const Description = z.object({ blobUploadLimit: z.int().min(1).optional() });

export function createReadTraits(fetch: Fetch, isHosted: (pds: string) => boolean): ReadTraits {
  return async (pds, signal) => {
    const url = `${pds}/xrpc/com.atproto.server.describeServer`;
    const described = await getDocument(fetch, url, signal).catch(() => null);
    const { data } = Description.safeParse(described);
    if (!data) return undefined;
    const { blobUploadLimit: limit } = data;
    return {
      ...(limit !== undefined && { blob_upload_limit: limit }),
      ...(isHosted(pds) && { video_service: true }),
    };
  };
}
