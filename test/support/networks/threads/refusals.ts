// Errors of the simulated Threads. Threads documents no codes: these are from answers that its clients have published,
// such as https://github.com/fbsamples/threads_api/issues/70.
import { GraphRefusal } from '../meta/refusals.ts';

/** A refusal of Threads' own API, which often has the status 500 for a mistake of the caller. */
export const apiError = (
  code: number | string,
  message: string,
  details: { status?: number; subcode?: number } = {},
) => new GraphRefusal(code, message, { status: 500, type: 'THApiException', ...details });

export const notFound = (id: string) =>
  new GraphRefusal(24, 'The requested resource does not exist', {
    subcode: 4279009,
    title: 'Media Not Found',
    shown: `The media with id ${id} cannot be found.`,
  });

export const invalidChildren = (ids: string) =>
  new GraphRefusal(100, 'Invalid parameter', {
    subcode: 4279004,
    title: 'Invalid Carousel Children',
    shown: `The children with IDs ${ids} are invalid, nonexistent, or expired.`,
  });

export const limited = () =>
  new GraphRefusal(613, 'Calls to this api have exceeded the rate limit.', { subcode: 4279002 });

export const noPermission = () =>
  apiError(10, 'Application does not have permission for this action');

/** The refusal contains the URL, as some of Meta's answers do. */
export const notDownloaded = (url: string) =>
  new GraphRefusal(1, 'An unknown error occurred', {
    subcode: 2207052,
    title: 'Media download has failed.',
    shown: `The media could not be fetched from this URI: ${url}`,
  });

export const notAnImage = () =>
  new GraphRefusal(1, 'An unknown error occurred', {
    subcode: 2207005,
    title: 'Unsupported format',
    shown: 'The image format unknown is not supported.',
  });
