// The store of media in a bucket of S3, or of a service that speaks its protocol.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import type { BucketLocation } from '../../../schema/config/media-url.ts';
import { StoreError, type MediaStore } from './store.ts';

const connectWithinMs = 5_000;
/** Also the longest time that may pass without a byte. */
const answerWithinMs = 30_000;
/** Objects are removed one by one, because some services lack the call that removes many. */
const parallelRemovals = 8;

/** Error names of a full disk or quota. */
const fullErrors = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'InsufficientStorage',
]);

/** Takes the credentials from the usual variables and files of AWS. */
function createClient({ endpoint, region, hasPathStyle }: BucketLocation): S3Client {
  return new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: hasPathStyle,
    // Other services don't know the newer checksums. Each request is signed with its body's SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectWithinMs,
      requestTimeout: answerWithinMs,
      throwOnRequestTimeout: true,
      socketTimeout: answerWithinMs,
    },
  });
}

/** Throws a StoreError if the bucket doesn't answer, and another error if it refuses to list its objects. */
export async function checkBucket(location: BucketLocation): Promise<void> {
  const client = createClient(location);
  try {
    const Prefix = location.prefix === '' ? undefined : `${location.prefix}/`;
    await client.send(new ListObjectsV2Command({ Bucket: location.bucket, Prefix, MaxKeys: 1 }));
  } catch (cause) {
    const { message, name, code } = cause as Error & { code?: string };
    const reason = `${name}: ${message || code}`;
    const isRefusal =
      name === 'CredentialsProviderError' ||
      (cause instanceof S3ServiceException && (cause.$metadata.httpStatusCode ?? 500) < 500);
    if (isRefusal) throw new Error(reason, { cause });
    throw new StoreError('unavailable', reason, { cause });
  } finally {
    client.destroy();
  }
}

export function openBucketStore(location: BucketLocation): MediaStore {
  const { bucket: Bucket, prefix } = location;
  const client = createClient(location);
  const keyOf = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);

  async function* read(key: string, range?: { start: number; end: number }) {
    try {
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket,
          Key: keyOf(key),
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      for await (const chunk of Body as Readable) yield chunk as Uint8Array;
    } catch (error) {
      fail(error);
    }
  }

  async function removeFolder(folder: string): Promise<void> {
    const Prefix = `${keyOf(folder)}/`;
    for (;;) {
      const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
      const keys = (Contents ?? []).flatMap(({ Key }) => Key ?? []);
      if (keys.length === 0) return;
      await removeKeys(keys);
    }
  }

  async function removeKeys(keys: readonly string[]): Promise<void> {
    const limit = pLimit(parallelRemovals);
    await limit.map(keys, (Key) => client.send(new DeleteObjectCommand({ Bucket, Key })));
  }

  return {
    async put(key, bytes) {
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(key), Body: bytes })).catch(fail);
    },

    read,

    remove: (keys) => removeKeys(keys.map(keyOf)).catch(fail),

    removeFolder: (folder) => removeFolder(folder).catch(fail),
  };
}

/** Throws the error of the client as a `StoreError`. */
function fail(cause: unknown): never {
  const isFull =
    cause instanceof S3ServiceException &&
    (fullErrors.has(cause.name) || cause.$metadata.httpStatusCode === 507);
  throw isFull
    ? new StoreError('full', 'The media store is full.', { cause })
    : new StoreError('unavailable', 'The media store is not available.', { cause });
}
