// Errors of the simulated Instagram, in their words.
// By https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes, read on
// 2026-11-26, and by answers that clients have published: the status 403 and the words of 2207051, the words of 2207027
// and 2207052, and the type of graph.instagram.com.
import { GraphRefusal } from '../meta/refusals.ts';

export const containerGone = (id: string) =>
  new GraphRefusal(24, 'The requested resource does not exist', {
    subcode: 2207008,
    title: 'Media Builder Not Found',
    shown: `The media builder with creation id = ${id} does not exist or has been expired.`,
  });

export const notReady = () =>
  new GraphRefusal(9007, 'Media ID is not available', {
    subcode: 2207027,
    title: 'Cannot Publish',
    shown: 'The media is not ready for publishing, please wait for a moment',
  });

/** This is not a rate limit, although its words say so. */
export const blocked = () =>
  new GraphRefusal(4, 'Application request limit reached', {
    status: 403,
    subcode: 2207051,
    title: 'action is blocked',
    shown:
      'We restrict certain activity to protect our community. Tell us if you think we made a mistake.',
  });

export const outOfQuota = () =>
  new GraphRefusal(9, 'The user has reached the maximum number of posts.', {
    subcode: 2207042,
    title: 'Action is blocked',
    shown:
      'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
  });

export const notFetched = () =>
  new GraphRefusal(9004, 'Only photo or video can be accepted as media type.', {
    subcode: 2207052,
    title: "Media download has failed. The media URI doesn't meet our requirements.",
    shown: 'The media could not be fetched from this URI.',
  });

export const tooLarge = () =>
  new GraphRefusal(36000, 'The image size is too large.', {
    subcode: 2207004,
    title: 'Image size too large',
    shown: 'The image is too large to download. It should be less than 8 MiB.',
  });

export const notJpeg = () =>
  new GraphRefusal(36001, 'The image format is not supported.', {
    subcode: 2207005,
    shown: 'The image format unknown is not supported. Supported formats are: JPEG.',
  });

export const wrongRatio = () =>
  new GraphRefusal(36003, 'The aspect ratio is not supported.', {
    subcode: 2207009,
    shown: 'The submitted image has an aspect ratio that is not within 4:5 to 1.91:1.',
  });

export const noPermission = () =>
  new GraphRefusal(10, '(#10) Application does not have permission for this action', {
    status: 403,
  });

export const limited = () =>
  new GraphRefusal(
    80002,
    '(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.',
  );
