// Uploads the media of a status, one call per step. A video is polled until the server has processed it.
import { z } from 'zod';
import type { Ask } from '../network-api.ts';
import { multipart, toFilePart } from '../multipart.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, ProviderState, Target, TargetMedia } from '../platform.ts';
import { preparedAs } from '../results.ts';

/** `url` is null while the server processes the file. @see https://docs.joinmastodon.org/methods/media/ */
const Attachment = z.object({ id: z.string().min(1), url: z.string().nullable() });

const Uploads = z.object({
  /** In the order of the media. */
  media_ids: z.array(z.string()).default([]),
  /** The server hasn't processed the last file yet. */
  is_processing: z.boolean().default(false),
});

const pollMs = 1_000;
const outsideScopes = 'This action is outside the authorized scopes';

export const uploadedIds = (state: ProviderState): string[] => Uploads.parse(state).media_ids;

/** Members of `state` that aren't about uploads stay as they are. */
export async function prepareMedia(
  ask: Ask,
  { media }: Target,
  state: ProviderState,
): Promise<PrepareOutcome> {
  const { media_ids: ids, is_processing: isProcessing } = Uploads.parse(state);
  const next = media[ids.length];
  if (!isProcessing && !next) return preparedAs(state);
  const call = isProcessing
    ? ask(`/api/v1/media/${encodeURIComponent(ids.at(-1)!)}`, Attachment)
    : ask('/api/v2/media', Attachment, { upload: toUpload(next!) });
  const { body } = await call.catch(asScopeError);
  const is_processing = body.url === null;
  const media_ids = isProcessing ? ids : [...ids, body.id];
  const uploaded = { ...state, media_ids, is_processing };
  if (!is_processing && media_ids.length === media.length) return preparedAs(uploaded);
  return { outcome: 'more', state: uploaded, waitMs: is_processing ? pollMs : 0 };
}

/** Some servers don't report scopes, so a token without `write:media` may be connected. It still publishes texts. */
function asScopeError(error: unknown): never {
  if (!(error instanceof PlatformError) || !error.message.endsWith(outsideScopes)) throw error;
  const message = 'The access token lacks write:media. Connect the account with another token.';
  throw new PlatformError('rejected', message, { platformCode: 'missing_scope' });
}

function toUpload(media: TargetMedia) {
  const { kind, altText, thumbnail } = media;
  const files = [toFilePart('file', media)];
  if (kind === 'video' && thumbnail) files.push(toFilePart('thumbnail', thumbnail));
  return multipart(altText === null ? {} : { description: altText }, files);
}
