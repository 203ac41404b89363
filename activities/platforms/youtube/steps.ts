// The steps after the publication of a video: its thumbnail, and its place in a playlist.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { rawUpload } from '../multipart.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { Step, Target, TargetMedia } from '../platform.ts';
import type { OpenYouTube } from './api.ts';

export function createSteps(open: OpenYouTube): Record<keyof typeof youtube.steps, Step> {
  return {
    thumbnail: {
      /** @see https://developers.google.com/youtube/data/reference/rest/v3/thumbnails/set */
      async run(target, signal) {
        const image = thumbnailOf(target);
        const { ask } = open(target.credentials, signal);
        await ask('/upload/youtube/v3/thumbnails/set', z.unknown(), {
          kind: 'commit',
          query: { videoId: videoIdOf(target), uploadType: 'media' },
          upload: rawUpload(image, image.contentType),
        }).catch(explainForbidden);
      },
    },

    playlist: {
      /** @see https://developers.google.com/youtube/data/reference/rest/v3/playlistItems/insert */
      async run(target, signal) {
        const resourceId = { kind: 'youtube#video', videoId: videoIdOf(target) };
        const { ask } = open(target.credentials, signal);
        await ask('/youtube/v3/playlistItems', z.unknown(), {
          kind: 'commit',
          query: { part: 'snippet' },
          json: { snippet: { playlistId: playlistOf(target), resourceId } },
        });
      },

      /** @see https://developers.google.com/youtube/data/reference/rest/v3/playlistItems/list */
      async isDone(target, signal) {
        const { ask } = open(target.credentials, signal);
        const query = {
          part: 'snippet',
          playlistId: playlistOf(target),
          videoId: videoIdOf(target),
        };
        return (await ask('/youtube/v3/playlistItems', Items, { query })).body.items.length > 0;
      },
    },
  };
}

const Items = z.object({ items: z.array(z.unknown()).default([]) });

const videoIdOf = ({ replyTo }: Target): string => z.string().parse(replyTo);

const playlistOf = ({ platformOptions }: Target): string | undefined =>
  youtube.options.parse(platformOptions).playlist_id;

/** https://developers.google.com/youtube/data/reference/rest/v3/thumbnails/set */
const thumbnailTypes = ['image/jpeg', 'image/png'];
const maxThumbnailBytes = 52_428_800;

function thumbnailOf({ media }: Target): TargetMedia {
  const image = media[0]?.thumbnail;
  if (!image) throw refuse('thumbnail_required', 'The video has no thumbnail.');
  if (!thumbnailTypes.includes(image.contentType)) {
    const message = `YouTube takes thumbnails of the types ${thumbnailTypes.join(' and ')}, not ${image.contentType}.`;
    throw refuse('unsupported_type', message);
  }
  if (image.bytes <= maxThumbnailBytes) return image;
  throw refuse('too_large', `YouTube takes thumbnails of at most ${maxThumbnailBytes} bytes.`);
}

const refuse = (platformCode: string, message: string) =>
  new PlatformError('rejected', message, { platformCode });

/** https://support.google.com/youtube/answer/72431 */
const advice = 'Only a channel with a verified phone number has thumbnails of its own.';

/** YouTube has one code for every reason why a thumbnail is not allowed. */
function explainForbidden(error: unknown): never {
  if (!hasCode(error, 'forbidden')) throw error;
  const options = { ...error.options, failsAs: 'account_restricted' } as const;
  throw new PlatformError('rejected', `${error.message} ${advice}`, options);
}
