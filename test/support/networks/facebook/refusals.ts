// Errors of Facebook, in its form and words.
// By https://developers.facebook.com/docs/graph-api/guides/error-handling,
// https://developers.facebook.com/docs/pages-api/error-codes and by answers that clients have published.
import { GraphRefusal } from '../meta/refusals.ts';

export const unknownPath = (path: string) =>
  new GraphRefusal(2500, `Unknown path components: ${path}`);

export const badToken = (message = 'Invalid OAuth access token.') => new GraphRefusal(190, message);

export const needsPageToken = () =>
  new GraphRefusal(190, 'A Page access token is required for this call.', { subcode: 2069032 });

export const noPostPermission = () =>
  new GraphRefusal(
    200,
    '(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission',
    { status: 403 },
  );

export const noReadPermission = () =>
  new GraphRefusal(283, '(#283) Requires pages_read_engagement permission to manage the object');

export const noCommentPermission = () =>
  new GraphRefusal(200, '(#200) Requires pages_manage_engagement permission to manage the object', {
    status: 403,
  });

export const duplicate = () =>
  new GraphRefusal(506, 'Duplicate status message', {
    subcode: 1455006,
    isTransient: false,
    title: 'Duplicate Status Update',
    shown:
      'This status update is identical to the last one you posted. Try posting something different, or delete your previous update.',
  });

/** `start` and `end`: the range that Facebook has not received. */
export const wrongRange = (start: number, end: number) =>
  new GraphRefusal(6000, 'There was a problem uploading your video file. Please try again.', {
    subcode: 1363037,
    isTransient: true,
    data: { start_offset: String(start), end_offset: String(end) },
  });

/** The refusal names no time, because the header with the wait has whole minutes. */
export const limited = () =>
  new GraphRefusal(
    80001,
    '(#80001) There have been too many calls to this Page account. Wait a bit and try again. For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting.',
  );

/** A refusal in the answer to an upload. */
export const uploadRefused = (type: string, message: string, retriable: boolean) =>
  Response.json({ debug_info: { retriable, type, message } }, { status: 400 });
