// Images, videos and documents.
import type { Calls } from '../calls.ts';
import { configurationError } from '../errors.ts';
import { openSource, typeOf, type ByteSource, type MediaSource } from '../media-source.ts';
import type { Body, Query, Schemas } from '../operations.ts';
import { path, type CallOptions, type Sender } from '../send.ts';
import { sendBytes, type UploadOptions } from '../upload.ts';

export interface MediaUploadOptions extends UploadOptions {
  /** Default: the name of the path or of the File. */
  filename?: string;
  /** Such as `image/png`. Default: that of the Blob, or by the ending of the name. */
  contentType?: string;
  /** Refuses other bytes: their SHA-256 in hex. */
  contentHash?: string;
  /** Continues the upload to these media, which broke off earlier. */
  mediaId?: string;
}

function describe(
  { size, ...named }: ByteSource,
  { filename = named.filename, contentType, contentHash }: MediaUploadOptions,
): Body<'createMedia'> {
  const type = contentType ?? named.contentType ?? typeOf(filename);
  if (type === undefined) {
    throw configurationError('Set `contentType`, such as image/png, or `filename`.');
  }
  return {
    filename: filename ?? 'upload',
    content_type: type,
    size_bytes: size,
    ...(contentHash === undefined ? {} : { content_hash: contentHash }),
  };
}

export function createMedia({ one, list, removal }: Calls, { connection }: Sender) {
  const create = (media: Body<'createMedia'>, options?: CallOptions) =>
    one<'createMedia'>('POST', '/v1/media', { body: media }, options);

  /** Returns media with a new `upload_url`. The bytes that have arrived stay. */
  const renewUploadUrl = (id: string, options?: CallOptions) =>
    one<'renewMediaUploadUrl'>('POST', path`/v1/media/${id}/upload-url`, {}, options);

  return {
    /** Uploads a file, a Blob or a stream in parts, and continues after a break. */
    async upload(source: MediaSource, options: MediaUploadOptions = {}): Promise<Schemas['Media']> {
      const { signal, mediaId } = options;
      const bytes = await openSource(source, options.size);
      const given = signal ? { signal } : {};
      const media = mediaId
        ? await renewUploadUrl(mediaId, given)
        : await create(describe(bytes, options), given);
      const maxRetries = options.maxRetries ?? connection.maxRetries;
      const isBegun = mediaId !== undefined;
      const sending = { ...options, maxRetries, isBegun };
      return sendBytes(connection.fetch, media.upload_url, bytes, sending);
    },

    create,
    renewUploadUrl,

    list: (query?: Query<'listMediaFiles'>, options?: CallOptions) =>
      list<'listMediaFiles'>('/v1/media', query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getMedia'>('GET', path`/v1/media/${id}`, {}, options),

    delete: (id: string, options?: CallOptions) =>
      removal('DELETE', path`/v1/media/${id}`, {}, options),
  };
}
