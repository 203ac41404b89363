// The videos of the simulated Facebook: their uploads in ranges and at once, and what their status says.
// By https://developers.facebook.com/docs/video-api/guides/reels-publishing,
// https://developers.facebook.com/docs/page-stories-api and
// https://developers.facebook.com/docs/graph-api/reference/page/videos, read on 2026-11-26.
import { invalid } from '../meta/refusals.ts';
import { uploadRefused, wrongRange } from './refusals.ts';

export type VideoEdge = 'videos' | 'video_reels' | 'video_stories';

export interface StoredVideo {
  id: string;
  page: string;
  edge: VideoEdge;
  /** ID of an upload in ranges. */
  session: string | undefined;
  /** Undefined: the size is not known before the bytes arrive. */
  size: number | undefined;
  bytes: Buffer;
  isUploaded: boolean;
  isFinished: boolean;
  /** How many reads pass until the video is ready for its story. */
  readsUntilReady: number;
  /** How many reads pass after the finish until the video is public. */
  readsUntilPublic: number;
  /** Why Facebook can't process the video. */
  failure: { code: number; message: string } | undefined;
  description: string;
  cover: Buffer | undefined;
  createdAt: number;
}

interface VideoSwitches {
  chunkBytes: number;
  readsUntilReady: number;
  readsUntilPublic: number;
  /** How the status spells the number of bytes. */
  spelling: 'bytes_transfered' | 'bytes_transferred';
  /** The member of the status that names a failure. */
  failureForm: 'error' | 'errors';
  /** Failures of the next finished videos. */
  failures: { code: number; message: string }[];
  /** How the next uploads in one request fail: after half of the bytes, or without any bytes. */
  uploadFaults: ('cut' | 'fails' | 'unauthorized')[];
}

export class Videos {
  readonly all: StoredVideo[] = [];
  readonly switches: VideoSwitches = {
    chunkBytes: 400,
    readsUntilReady: 0,
    readsUntilPublic: 1,
    spelling: 'bytes_transfered',
    failureForm: 'error',
    failures: [],
    uploadFaults: [],
  };
  private readonly newId: () => string;

  constructor(newId: () => string) {
    this.newId = newId;
  }

  start(page: string, edge: VideoEdge, size?: number): StoredVideo {
    const { readsUntilReady, readsUntilPublic } = this.switches;
    this.all.push({
      id: this.newId(),
      page,
      edge,
      session: size === undefined ? undefined : this.newId(),
      size,
      bytes: Buffer.alloc(0),
      isUploaded: false,
      isFinished: false,
      readsUntilReady,
      readsUntilPublic,
      failure: undefined,
      description: '',
      cover: undefined,
      createdAt: Date.now(),
    });
    return this.all.at(-1)!;
  }

  find(id: string, page: string): StoredVideo | undefined {
    return this.all.find((each) => each.id === id && each.page === page);
  }

  findSession(id: string, page: string): StoredVideo {
    const found = this.all.find((each) => each.session === id && each.page === page);
    if (!found) throw invalid('Invalid upload session');
    return found;
  }

  /** The range that Facebook asks for next. */
  rangeOf({ bytes, size = 0 }: StoredVideo) {
    const start = bytes.length;
    return { start, end: Math.min(start + this.switches.chunkBytes, size) };
  }

  takeRange(video: StoredVideo, offset: number, chunk: Buffer | undefined): void {
    const { start, end } = this.rangeOf(video);
    if (offset !== start) throw wrongRange(start, end);
    if (!chunk || chunk.length !== end - start) throw invalid('The chunk has another length');
    video.bytes = Buffer.concat([video.bytes, chunk]);
    if (video.bytes.length === video.size) video.isUploaded = true;
  }

  /** Takes all bytes of a video, from an offset on, in one request. */
  takeRest({ headers }: Request, video: StoredVideo, body: Buffer): Response {
    const [offset, size] = ['offset', 'file_size'].map((name) => Number(headers.get(name) ?? NaN));
    if (headers.get('authorization')?.startsWith('OAuth ') !== true) {
      return uploadRefused('NotAuthorizedError', 'unauthorized user request', false);
    }
    if (offset !== video.bytes.length) {
      return uploadRefused('OffsetInvalidError', 'Request starting offset is invalid', true);
    }
    const fault = this.switches.uploadFaults.shift();
    if (fault === 'fails') {
      return uploadRefused('ProcessingFailedError', 'Request processing failed', true);
    }
    if (fault === 'unauthorized') {
      const words = '{"success":false,"error":{"message":"unauthorized user request"}}';
      return uploadRefused('ProcessingFailedError', words, false);
    }
    video.size = size;
    const message = 'Partial request (did not match length of file)';
    if (fault === 'cut') {
      video.bytes = Buffer.concat([video.bytes, body.subarray(0, body.length >> 1)]);
      return uploadRefused('PartialRequestError', message, true);
    }
    if (video.bytes.length + body.length !== size) {
      return uploadRefused('PartialRequestError', message, true);
    }
    video.bytes = Buffer.concat([video.bytes, body]);
    video.isUploaded = true;
    return Response.json({ success: true });
  }

  /** Throws unless all bytes have arrived. A second finish publishes nothing. */
  finish(video: StoredVideo, description = ''): void {
    if (!video.isUploaded) throw invalid('The video is not uploaded');
    if (video.edge === 'video_stories' && video.readsUntilReady > 0) {
      throw invalid('The video is not ready');
    }
    if (video.isFinished) throw invalid('The video is finished already');
    video.isFinished = true;
    video.description = description;
    video.failure = this.switches.failures.shift();
  }

  isPublic = ({ isFinished, readsUntilPublic, failure }: StoredVideo) =>
    isFinished && readsUntilPublic === 0 && !failure;

  /** Shows the status, and counts the read. */
  showStatus(video: StoredVideo) {
    const { isUploaded, isFinished, bytes, size, failure } = video;
    const isPublic = this.isPublic(video);
    const isReady = isUploaded && video.readsUntilReady === 0;
    const hasFailed = isFinished && failure !== undefined && video.readsUntilPublic === 0;
    if (isUploaded && video.readsUntilReady > 0) video.readsUntilReady--;
    if (isFinished && video.readsUntilPublic > 0) video.readsUntilPublic--;
    const { spelling, failureForm } = this.switches;
    const named = failureForm === 'error' ? { message: failure?.message } : [failure];
    return {
      video_status: isPublic ? 'ready' : isReady ? 'upload_complete' : 'processing',
      uploading_phase: {
        status: isUploaded ? 'complete' : bytes.length > 0 ? 'in_progress' : 'not_started',
        [spelling]: bytes.length,
        source_file_size: size,
      },
      processing_phase: {
        // In the documents, the status of the phase stays the same after a failure.
        status: isPublic ? 'complete' : isFinished && !hasFailed ? 'in_progress' : 'not_started',
        ...(hasFailed && { [failureForm]: named }),
      },
      publishing_phase: isPublic
        ? { status: 'complete', publish_status: 'published', publish_time: 234_523_452 }
        : { status: 'not_started' },
    };
  }
}
