// The uploads of videos to the simulated Pinterest, and the bucket that takes their bytes.
import { createHash, randomBytes } from 'node:crypto';
import { invalid, refuseUpload, uploadPath } from './refusals.ts';

export interface Video {
  readonly id: string;
  /** What the bucket expects in the form, in addition to the file. */
  readonly parameters: Record<string, string>;
  /** SHA-256 of the bytes. Undefined: nothing has arrived. */
  sha256: string | undefined;
  /** How many more polls find the video in processing. */
  pollsLeft: number;
}

export function createVideos(newId: () => string) {
  const all: Video[] = [];

  const videos = {
    all,
    /** Videos are ready after this number of polls, or their processing fails. */
    processing: 1 as number | 'fails',
    /** The addresses for uploads have expired. */
    hasExpired: false,
    /** The largest file that the bucket takes. */
    maxBytes: 2_000_000_000,
    register,
    upload,
    read,
    /** Throws unless a pin can show the video. */
    find,
  };

  function register(request: Request): Response {
    const id = newId();
    const random = () => randomBytes(16).toString('base64');
    const parameters = {
      'x-amz-date': '20261127T030000Z',
      'x-amz-signature': randomBytes(32).toString('hex'),
      'x-amz-security-token': random(),
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      key: `uploads/11/aa/22/3:video:203014033110991560:${id}`,
      policy: random(),
      'x-amz-credential': 'ASIA6QZJ64OPIKV7FRVX/20261127/us-east-1/s3/aws4_request',
      'Content-Type': 'multipart/form-data',
    };
    all.push({ id, parameters, sha256: undefined, pollsLeft: 0 });
    const upload_url = `http://${request.headers.get('host')}${uploadPath}`;
    const answer = { media_id: id, media_type: 'video', upload_url, upload_parameters: parameters };
    return Response.json(answer, { status: 201 });
  }

  /** https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html */
  async function upload(request: Request): Promise<Response> {
    const entries = [...(await request.formData())];
    const [name, file] = entries.pop() ?? [];
    // "The file or content must be the last field in the form."
    if (name !== 'file' || !(file instanceof File)) return refuseUpload(400, 'InvalidArgument');
    const fields = Object.fromEntries(entries);
    const video = all.find(({ parameters }) => parameters.key === fields['key']);
    const areSame =
      video &&
      Object.keys(fields).length === Object.keys(video.parameters).length &&
      Object.entries(video.parameters).every(([each, value]) => fields[each] === value);
    if (!areSame) return refuseUpload(403, 'SignatureDoesNotMatch');
    if (videos.hasExpired) {
      return refuseUpload(403, 'AccessDenied', 'Invalid according to Policy: Policy expired.');
    }
    if (file.size > videos.maxBytes) return refuseUpload(400, 'EntityTooLarge');
    const bytes = Buffer.from(await file.arrayBuffer());
    video.sha256 = createHash('sha256').update(bytes).digest('hex');
    video.pollsLeft = videos.processing === 'fails' ? 0 : videos.processing;
    return new Response(null, { status: 204 });
  }

  function statusOf(video: Video): string {
    if (video.sha256 === undefined) return 'registered';
    if (videos.processing === 'fails') return 'failed';
    return video.pollsLeft > 0 ? 'processing' : 'succeeded';
  }

  function read(id: string): Response {
    const video = all.find((each) => each.id === id);
    if (!video) throw invalid(`There is no media ${id}.`);
    const status = statusOf(video);
    if (status === 'processing') video.pollsLeft--;
    return Response.json({ media_id: id, media_type: 'video', status });
  }

  function find(id: string): Video {
    const video = all.find((each) => each.id === id);
    if (video && statusOf(video) === 'succeeded') return video;
    throw invalid(`The media ${id} is not ready.`);
  }

  return videos;
}
