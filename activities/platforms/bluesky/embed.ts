// The embed of a post on Bluesky: its images, its video or its link card, and their blobs.
import { z } from 'zod';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import { rawUpload } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import type { Target, TargetMedia } from '../platform.ts';
import { Blob } from './blob.ts';
import type { Ref } from './record-ref.ts';

/** More images than this are a gallery, which older apps don't show. */
const maxPlainImages = 4;

const Uploaded = z.object({ blob: Blob });

/** A repeated upload returns the same blob, because the reference to a blob is the hash of its bytes. */
export async function uploadBlob(ask: Ask, media: TargetMedia): Promise<Blob> {
  const call = { upload: rawUpload(media, media.contentType) };
  return (await ask('com.atproto.repo.uploadBlob', Uploaded, call)).body.blob;
}

/** `quote`: the reference to the quoted post. Undefined: the post has no embed. */
export function toEmbed(target: Target, blobs: readonly Blob[], quote: Ref | undefined) {
  const media = toMediaEmbed(target, blobs);
  if (!quote) return media;
  const record = { $type: 'app.bsky.embed.record', record: quote };
  return media ? { $type: 'app.bsky.embed.recordWithMedia', record, media } : record;
}

function toMediaEmbed({ media, platformOptions }: Target, blobs: readonly Blob[]) {
  const { link } = bluesky.options.parse(platformOptions);
  if (link) return toLinkCard(link, blobs[0]);
  const [first] = media;
  if (!first) return undefined;
  if (first.kind === 'video') {
    const alt = first.altText?.toWellFormed();
    const video = { video: blobs[0], ...(alt && { alt }), aspectRatio: aspectRatioOf(first) };
    return { $type: 'app.bsky.embed.video', ...video };
  }
  const images = media.map((image, i) => ({
    image: blobs[i],
    alt: image.altText?.toWellFormed() ?? '',
    aspectRatio: aspectRatioOf(image),
  }));
  if (images.length <= maxPlainImages) return { $type: 'app.bsky.embed.images', images };
  const items = images.map((image) => ({ $type: 'app.bsky.embed.gallery#image', ...image }));
  return { $type: 'app.bsky.embed.gallery', items };
}

const aspectRatioOf = ({ width, height }: TargetMedia) => ({ width, height });

function toLinkCard(
  { url, title, description = '' }: NonNullable<z.infer<typeof bluesky.options>['link']>,
  thumb: Blob | undefined,
) {
  const { href, host } = new URL(url);
  const external = {
    // Encoded, since a PDS refuses URLs with spaces.
    uri: href,
    title: (title ?? host).toWellFormed(),
    description: description.toWellFormed(),
    ...(thumb && { thumb }),
  };
  return { $type: 'app.bsky.embed.external', external };
}
