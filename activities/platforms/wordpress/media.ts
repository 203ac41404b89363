// Files in the media library of the site: their upload, one per step, and their blocks in a post.
import { z } from 'zod';
import { escapeMarkup } from '../../../schema/platforms/text/escape-markup.ts';
import { multipart, toFilePart } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, ProviderState, Target, TargetMedia } from '../platform.ts';
import { preparedAs } from '../results.ts';

const Uploaded = z.object({ id: z.int().positive(), source_url: z.url() });
/** In the order of `listFiles`. */
const Uploads = z.object({ uploads: z.array(Uploaded).default([]) });

/** The uploaded files, by media. They are in the library of the site. */
type Library = ReadonlyMap<TargetMedia, z.infer<typeof Uploaded>>;

/** Lists the media, and the thumbnail of each video. */
const listFiles = (media: readonly TargetMedia[]) =>
  media.flatMap((each) => [each, posterOf(each)].filter((file) => file !== null));

const posterOf = ({ kind, thumbnail }: TargetMedia) => (kind === 'video' ? thumbnail : null);

/** Members of `state` that aren't about uploads stay as they are. */
export async function uploadNext(
  ask: Ask,
  { media }: Target,
  state: ProviderState,
): Promise<PrepareOutcome> {
  const { uploads } = Uploads.parse(state);
  const files = listFiles(media);
  const file = files[uploads.length];
  if (!file) return preparedAs(state);
  const { altText } = file;
  // The file is sent in a form. So it can have an alt text, and PHP reads it as a stream.
  const fields = altText === null ? {} : { alt_text: altText };
  const upload = multipart(fields, [toFilePart('file', file)]);
  const query = { _fields: 'id,source_url' };
  const { body } = await ask('wp/v2/media', Uploaded, { upload, query }).catch(asRoleError);
  const uploaded = { ...state, uploads: [...uploads, body] };
  if (uploaded.uploads.length === files.length) return preparedAs(uploaded);
  return { outcome: 'more', state: uploaded, waitMs: 0 };
}

/**
 * WordPress says that the user may not create posts, but this error means that the user may not upload files.
 */
function asRoleError(error: unknown): never {
  if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
  if (error.options.platformCode !== 'rest_cannot_create') throw error;
  const message = 'The user may not upload files to WordPress: the role needs upload_files.';
  throw new PlatformError('rejected', message, error.options);
}

export function toLibrary({ media, state }: Target): Library {
  const { uploads } = Uploads.parse(state);
  return new Map(listFiles(media).map((file, i) => [file, uploads[i]!]));
}

/** A block of the content, in the form that the block editor saves. */
export interface Block {
  name: string;
  attributes?: Record<string, unknown>;
  html: string;
}

export function toMediaBlock(media: TargetMedia, library: Library): Block {
  const { id, source_url } = library.get(media)!;
  const src = toAttribute(source_url);
  if (media.kind === 'image') {
    const image = `<img src="${src}" alt="${toAttribute(media.altText ?? '')}" class="wp-image-${id}"/>`;
    return {
      name: 'image',
      attributes: { id, sizeSlug: 'full', linkDestination: 'none' },
      html: `<figure class="wp-block-image size-full">${image}</figure>`,
    };
  }
  const still = posterOf(media);
  const poster = still ? ` poster="${toAttribute(library.get(still)!.source_url)}"` : '';
  const video = `<video controls${poster} src="${src}"></video>`;
  return {
    name: 'video',
    attributes: { id },
    html: `<figure class="wp-block-video">${video}</figure>`,
  };
}

/** WordPress would run a bracket as a shortcode. */
const toAttribute = (text: string) =>
  escapeMarkup(text).replaceAll('"', '&quot;').replaceAll('[', '&#091;').replaceAll(/\s+/g, ' ');
