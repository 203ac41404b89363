// Bluesky's video service: it takes the videos of accounts on Bluesky's own servers, and stores them there.
import { z } from 'zod';
import { isSuccess, type NetworkAnswer } from '../json-client.ts';
import { rawUpload } from '../multipart.ts';
import { createApi, withToken, type Ask, type OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Target, TargetMedia } from '../platform.ts';
import type { Explanation } from '../refusal.ts';
import { Blob } from './blob.ts';
import { readCredentials } from './session.ts';

export interface VideoSettings {
  videoUrl: string;
  /** Domain of the servers whose accounts the service serves. */
  hostedDomain: string;
}

export interface VideoService {
  isFor(pds: string): boolean;
  /** Uploads the video. The service then processes it as a job. */
  upload(ask: Ask, target: Target, video: TargetMedia, signal: AbortSignal): Promise<Job>;
  readJob(jobId: string, signal: AbortSignal): Promise<Job>;
}

/** @see https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/video/defs.json */
const Job = z.object({
  jobId: z.string().min(1),
  state: z.string(),
  /** The service may return the blob of an earlier upload of the same video, even with an error. */
  blob: Blob.optional(),
  error: z.string().optional(),
  failureCode: z.string().optional(),
  message: z.string().optional(),
});
export type Job = z.infer<typeof Job>;

const Answered = z.object({ jobStatus: Job }).transform(({ jobStatus }) => jobStatus);
/** The lexicon wraps the answer to an upload, and the tutorial doesn't. */
const Uploaded = z.union([Answered, Job]);

const Limits = z.object({
  canUpload: z.boolean(),
  remainingDailyVideos: z.int().optional(),
  remainingDailyBytes: z.int().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
});

const Token = z.object({ token: z.string().min(1) });
const Server = z.object({ did: z.string().startsWith('did:') });

/** The tutorial's time, since the service uses the token after it has processed the video. */
const storeForS = 30 * 60;

/** @see https://docs.bsky.app/docs/tutorials/video */
export function createVideoService(
  fetch: Fetch,
  { videoUrl, hostedDomain }: VideoSettings,
): VideoService {
  const open: OpenApi = createApi(fetch, {
    network: "Bluesky's video service",
    open: ({ token }) => withToken(`${videoUrl}/xrpc/`, token),
    readRefusal,
    // The service refuses a video that it knows, and names its job.
    isRefusal: (answer) =>
      !isSuccess(answer) && !(answer.status === 409 && Uploaded.safeParse(answer.body).success),
  });
  const serviceDid = `did:web:${new URL(videoUrl).host.replace(':', '%3A')}`;

  /** Otherwise, the service would refuse the video only after its upload. */
  async function checkLimits(ask: Ask, video: TargetMedia, signal: AbortSignal): Promise<void> {
    const query = { aud: serviceDid, lxm: 'app.bsky.video.getUploadLimits' };
    const { token } = (await ask('com.atproto.server.getServiceAuth', Token, { query })).body;
    const limits = (await open({ token }, signal)('app.bsky.video.getUploadLimits', Limits)).body;
    const { remainingDailyVideos: videos, remainingDailyBytes: bytes } = limits;
    const isUsedUp = videos === 0 || (bytes !== undefined && bytes < video.bytes);
    if (limits.canUpload && !isUsedUp) return;
    const { error: platformCode = 'upload_limit', message } = limits;
    const words = message ?? (isUsedUp ? 'The daily limit is used up.' : platformCode);
    throw isUsedUp
      ? new PlatformError('rate_limited', `Bluesky limits the videos of the account: ${words}`, {
          platformCode,
          isOutOfQuota: true,
        })
      : new PlatformError('rejected', `Bluesky accepts no video of the account: ${words}`, {
          platformCode,
        });
  }

  return {
    isFor(pds) {
      const { hostname } = new URL(pds);
      return hostname === hostedDomain || hostname.endsWith(`.${hostedDomain}`);
    },

    async upload(ask, target, video, signal) {
      await checkLimits(ask, video, signal);
      const { did: aud } = (await ask('com.atproto.server.describeServer', Server)).body;
      const exp = Math.floor(Date.now() / 1_000) + storeForS;
      const allowed = { aud, lxm: 'com.atproto.repo.uploadBlob', exp };
      const { body } = await ask('com.atproto.server.getServiceAuth', Token, { query: allowed });
      const query = {
        did: readCredentials(target.credentials).did,
        name: `${target.resultId}.mp4`,
      };
      const call = { query, upload: rawUpload(video, video.contentType) };
      const askService = open(body, signal);
      return toUsable((await askService('app.bsky.video.uploadVideo', Uploaded, call)).body);
    },

    async readJob(jobId, signal) {
      const call = { query: { jobId } };
      return toUsable((await open({}, signal)('app.bsky.video.getJobStatus', Answered, call)).body);
    },
  };
}

/** Throws if the service could not process the video. */
function toUsable(job: Job): Job {
  const { state, blob, failureCode, error, message } = job;
  if (blob || state !== 'JOB_STATE_FAILED') return job;
  const platformCode = failureCode ?? error ?? state;
  const words = message ?? error ?? platformCode;
  throw new PlatformError('rejected', `Bluesky could not process the video: ${words}`, {
    platformCode,
  });
}

const Refused = z.object({ error: z.string().optional(), message: z.string().optional() });

/** A refusal of the service says nothing about the login, which it never gets. */
function readRefusal({ status, body }: NetworkAnswer): Explanation {
  const { error: code, message } = Refused.safeParse(body).data ?? {};
  const isAboutToken = status === 401 || status === 403;
  return { code, message, meaning: isAboutToken ? 'rejected' : undefined };
}
