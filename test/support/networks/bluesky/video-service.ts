// A simulator of Bluesky's video service. It stores each video at the account's real server, with the token it got.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { BlueskyPds } from '../../servers/bluesky-pds.ts';
import { loadLexicons } from './lexicons.ts';

export interface VideoServiceOptions {
  /** The form of the answer to an upload: of the lexicon, or of the tutorial. Default: of the tutorial. */
  isWrapped?: boolean;
  /** How often a job is asked before it ends. Default: 2. */
  polls?: number;
  /** How every job fails. Default: no job fails. */
  failure?: { failureCode: string; message: string };
  /** What the account may upload. Default: everything. */
  limits?: {
    canUpload: boolean;
    remainingDailyVideos?: number;
    remainingDailyBytes?: number;
    error?: string;
    message?: string;
  };
}

export interface VideoService extends AsyncDisposable {
  readonly url: string;
  /** The methods that were called, without the last part's namespace. */
  readonly calls: string[];
  /** What processing makes of a video. */
  process(video: Buffer): Buffer;
}

interface Job {
  id: string;
  did: string;
  video: Buffer;
  token: string;
  pollsLeft: number;
  blob?: unknown;
}

class Refused extends Error {
  readonly status: number;
  readonly answer: object;
  constructor(status: number, answer: object) {
    super(JSON.stringify(answer));
    this.status = status;
    this.answer = answer;
  }
}

/** The service re-encodes a video, so its blob is another file. */
const processVideo = (video: Buffer) => Buffer.concat([video, Buffer.from('processed')]);

export async function startVideoService(
  pds: Pick<BlueskyPds, 'url' | 'plcUrl'>,
  { isWrapped = false, polls = 2, failure, limits }: VideoServiceOptions = {},
): Promise<VideoService> {
  const lexicons = await loadLexicons(pds.plcUrl);
  const jobs = new Map<string, Job>();
  const calls: string[] = [];
  let url = '';

  const statusOf = ({ id: jobId, did, blob }: Job, state: string, more: object = {}) => {
    return { jobId, did, state, ...(blob !== undefined && { blob }), ...more };
  };

  async function store(job: Job): Promise<void> {
    const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.uploadBlob`, {
      method: 'POST',
      headers: { 'content-type': 'video/mp4', authorization: `Bearer ${job.token}` },
      body: new Uint8Array(processVideo(job.video)),
    });
    const answer = (await response.json()) as { blob?: unknown };
    if (!response.ok) throw new Refused(500, { error: 'pds', message: JSON.stringify(answer) });
    job.blob = answer.blob;
  }

  const tokenOf = ({ headers }: IncomingMessage) =>
    /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';

  async function getUploadLimits(request: IncomingMessage) {
    const service = `did:web:${new URL(url).host.replace(':', '%3A')}`;
    await lexicons.verifyToken(tokenOf(request), service, 'app.bsky.video.getUploadLimits');
    return limits ?? { canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 1e10 };
  }

  async function uploadVideo(request: IncomingMessage, query: URLSearchParams) {
    const { 'content-type': type, 'content-length': length } = request.headers;
    const [did, name] = [query.get('did') ?? '', query.get('name') ?? ''];
    const video = await buffer(request);
    const token = tokenOf(request);
    const { iss } = await lexicons.verifyToken(
      token,
      `did:web:${new URL(pds.url).hostname}`,
      'com.atproto.repo.uploadBlob',
    );
    if (type !== 'video/mp4' || Number(length) !== video.length || !name.endsWith('.mp4')) {
      throw new Refused(400, { error: 'InvalidRequest', message: 'Not an MP4 video.' });
    }
    if (iss !== did) throw new Refused(403, { error: 'Forbidden', message: 'Not your account.' });
    const id = createHash('sha256').update(did).update(video).digest('hex').slice(0, 20);
    const known = jobs.get(id);
    if (known?.blob !== undefined) {
      const { blob: _, ...answer } = statusOf(known, 'JOB_STATE_COMPLETED', {
        error: 'already_exists',
        message: 'Video already processed',
      });
      throw new Refused(409, answer);
    }
    const job = { id, did, video, token, pollsLeft: polls };
    jobs.set(id, job);
    const jobStatus = statusOf(job, 'JOB_STATE_CREATED', { progress: 0 });
    await lexicons.checkAnswer('app.bsky.video.uploadVideo', { jobStatus });
    return isWrapped ? { jobStatus } : jobStatus;
  }

  async function getJobStatus(query: URLSearchParams) {
    const job = jobs.get(query.get('jobId') ?? '');
    if (!job) throw new Refused(400, { error: 'InvalidRequest', message: 'Job not found.' });
    if (job.pollsLeft > 0) {
      job.pollsLeft -= 1;
      return { jobStatus: statusOf(job, 'JOB_STATE_ENCODING', { progress: 50 }) };
    }
    if (failure) return { jobStatus: statusOf(job, 'JOB_STATE_FAILED', failure) };
    if (job.blob === undefined) await store(job);
    return { jobStatus: statusOf(job, 'JOB_STATE_COMPLETED') };
  }

  async function answer(request: IncomingMessage): Promise<object> {
    const { pathname, searchParams } = new URL(request.url!, url);
    const method = pathname.slice('/xrpc/'.length);
    calls.push(method.slice(method.lastIndexOf('.') + 1));
    const isPost = request.method === 'POST';
    if (method === 'app.bsky.video.uploadVideo' && isPost)
      return uploadVideo(request, searchParams);
    const answers = {
      'app.bsky.video.getUploadLimits': () => getUploadLimits(request),
      'app.bsky.video.getJobStatus': () => getJobStatus(searchParams),
    };
    const read = isPost ? undefined : answers[method as keyof typeof answers];
    if (!read) throw new Refused(501, { error: 'MethodNotImplemented', message: method });
    const body = await read();
    await lexicons.checkAnswer(method, body);
    return body;
  }

  const server = createServer((request, response) => {
    answer(request)
      .then((body) => ({ status: 200, body }))
      .catch((error: unknown) => {
        if (error instanceof Refused) return { status: error.status, body: error.answer };
        const { message } = error as Error;
        return { status: 401, body: { error: 'AuthenticationRequired', message } };
      })
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  // By name, since a DID can't name an IP address.
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    process: processVideo,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
