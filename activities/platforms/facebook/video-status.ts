// What Facebook says of a video: how much of it has arrived, and whether it is public.
import { z } from 'zod';
import { findMetaError } from '../meta/errors.ts';
import { PlatformError } from '../platform-error.ts';
import { network, type PageApi } from './api.ts';
import { facebookErrors } from './errors.ts';

const Phase = z.object({ status: z.string().optional() });
const Failure = z.object({ code: z.coerce.number().optional(), message: z.string().optional() });

/**
 * The documents name a failure in two ways, and spell the number of bytes wrong.
 * @see https://developers.facebook.com/docs/video-api/guides/reels-publishing
 * @see https://developers.facebook.com/docs/page-stories-api
 */
const Answer = z.object({
  status: z.object({
    video_status: z.string().optional(),
    uploading_phase: Phase.extend({
      bytes_transfered: z.coerce.number().optional(),
      bytes_transferred: z.coerce.number().optional(),
    }).optional(),
    processing_phase: Phase.extend({
      error: Failure.optional(),
      errors: z.array(Failure).optional(),
    }).optional(),
    publishing_phase: Phase.extend({ publish_status: z.string().optional() }).optional(),
  }),
});

interface VideoStatus {
  /** Offset of the next byte. */
  arrivedBytes: number;
  isUploaded: boolean;
  /** The video can be published as a story. */
  isReady: boolean;
  isPublic: boolean;
  /** Facebook is busy with the video, so it may be public soon. */
  isPending: boolean;
  /** Why the video will never be public. */
  failure: PlatformError | undefined;
}

export async function readVideoStatus({ graph }: PageApi, id: string): Promise<VideoStatus> {
  const { status } = (await graph(`/${id}`, Answer, { query: { fields: 'status' } })).body;
  const { video_status: word, uploading_phase: uploading } = status;
  const { processing_phase: processing, publishing_phase: publishing } = status;
  // In the documents, some videos are `published` although their publishing has not started.
  const phase = publishing?.status ?? publishing?.publish_status;
  const isPublic = phase === 'complete' || phase === 'published';
  const isUploaded =
    uploading?.status === 'complete' || word === 'upload_complete' || word === 'ready';
  return {
    arrivedBytes: uploading?.bytes_transfered ?? uploading?.bytes_transferred ?? 0,
    isUploaded,
    isReady: word === 'upload_complete' || word === 'ready',
    isPublic,
    // In the documents, a video that is being processed can have phases that have not started.
    isPending:
      processing?.status === 'in_progress' ||
      publishing?.status === 'in_progress' ||
      (isUploaded && word === 'processing'),
    failure: isPublic
      ? undefined
      : findFailure(word, [uploading, processing, publishing], processing),
  };
}

type Processing = z.infer<typeof Answer>['status']['processing_phase'];

/** An error counts as a failure even if the status of the phase isn't `error`. */
function findFailure(
  word: string | undefined,
  phases: readonly ({ status?: string | undefined } | undefined)[],
  processing: Processing,
): PlatformError | undefined {
  const named = processing?.error ?? processing?.errors?.[0];
  const hasFailed = word === 'error' || word === 'expired';
  if (!named && !hasFailed && !phases.some((phase) => phase?.status === 'error')) return undefined;
  const { code, message = '' } = named ?? {};
  const known = findMetaError(facebookErrors, { code, subcode: undefined, message });
  const reason = message || known?.sentence || `its status is ${word ?? 'error'}`;
  const options = { platformCode: code === undefined ? 'video_failed' : String(code) };
  const words = `${network} could not process the video: ${reason}`;
  return new PlatformError('rejected', words, options);
}
