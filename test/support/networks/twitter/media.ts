// The media endpoints of the simulated X.
// https://docs.x.com/x-api/media/quickstart/media-upload-chunked and the OpenAPI description 2.167, read on
// 2026-11-22. Stricter than X may be: it refuses a second FINALIZE.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readJson, type Route } from '../strict-requests.ts';
import { invalid, named } from './problem.ts';

const types = [
  'video/mp4',
  'video/quicktime',
  'image/jpeg',
  'image/gif',
  'image/png',
  'image/webp',
];
const categories = ['amplify_video', 'tweet_gif', 'tweet_image', 'tweet_video'] as const;
const maxBytes = { tweet_image: 5_242_880, tweet_gif: 15_728_640 } as Record<string, number>;

const Initialization = z.strictObject({
  media_type: z.enum(types),
  total_bytes: z.int().min(1).max(17_179_869_184),
  media_category: z.enum(categories),
});
const Metadata = z.strictObject({
  id: z.string(),
  metadata: z.strictObject({ alt_text: z.strictObject({ text: z.string().min(1).max(1_000) }) }),
});

export interface XMedia {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly category: string;
  readonly totalBytes: number;
  readonly segments: Map<number, Buffer>;
  altText: string | null;
  isFinal: boolean;
  /** How many more polls find the media in processing. */
  pollsLeft: number;
  expiresAtMs: number;
}

interface Settings {
  check(request: Request, ...scopes: string[]): void;
  newId(): string;
}

export function createMedia({ check, newId }: Settings) {
  const all = new Map<string, XMedia>();

  const media = {
    all,
    /** Videos and GIFs are ready after this number of polls, or their processing fails. */
    processing: 1 as number | 'fails',
    lifeS: 86_400,
    /** Makes all media expire. */
    expireAll: () => all.forEach((each) => (each.expiresAtMs = 0)),
    shaOf: (id: string) =>
      createHash('sha256')
        .update(bytesOf(find(id)))
        .digest('hex'),
    /** Throws unless all media can be posted together. */
    checkReady,
    routes: [] as Route[],
  };

  function find(id: string): XMedia {
    const found = all.get(id);
    if (found && found.expiresAtMs > Date.now()) return found;
    throw named(
      404,
      'resource-not-found',
      'Not Found Error',
      `Could not find media with id: [${id}].`,
    );
  }

  function checkReady(ids: readonly string[]): XMedia[] {
    const found = ids.map((id) => all.get(id));
    const areGood = found.every(
      (each) => each?.isFinal && each.pollsLeft === 0 && each.expiresAtMs > Date.now(),
    );
    if (!areGood) throw invalid('Your media IDs are invalid.', { 'media.media_ids': ids });
    const many = found as XMedia[];
    const isMixed = many.some(({ category }) => category !== 'tweet_image');
    if (isMixed && many.length > 1)
      throw invalid('You can attach up to 4 photos, 1 GIF or 1 video.');
    return many;
  }

  const show = ({ id, key, totalBytes, type, category, isFinal, pollsLeft }: XMedia) => {
    const isProcessed = category !== 'tweet_image' && isFinal;
    const state =
      media.processing === 'fails' ? 'failed' : pollsLeft > 0 ? 'in_progress' : 'succeeded';
    return Response.json({
      data: {
        id,
        media_key: key,
        expires_after_secs: media.lifeS,
        ...(isFinal && { size: totalBytes }),
        ...(type.startsWith('image/') && isFinal && { image: { image_type: type, w: 48, h: 48 } }),
        ...(isProcessed && {
          processing_info: { state, ...(state === 'in_progress' && { check_after_secs: 0 }) },
        }),
      },
    });
  };

  media.routes = [
    {
      method: 'POST',
      path: /^\/2\/media\/upload\/initialize$/,
      async handle(request) {
        check(request, 'media.write');
        const { media_type, total_bytes, media_category } = await readJson(request, Initialization);
        const isVideo = media_type.startsWith('video/');
        if (isVideo !== media_category.endsWith('video')) throw invalid('media type unrecognized.');
        const most = maxBytes[media_category] ?? 536_870_912;
        if (total_bytes > most) throw invalid(`File size exceeds ${most} bytes.`);
        const id = newId();
        const prefix = isVideo ? 13 : media_category === 'tweet_gif' ? 16 : 3;
        const made: XMedia = {
          id,
          key: `${prefix}_${id}`,
          type: media_type,
          category: media_category,
          totalBytes: total_bytes,
          segments: new Map(),
          altText: null,
          isFinal: false,
          pollsLeft: 0,
          expiresAtMs: Date.now() + media.lifeS * 1_000,
        };
        all.set(id, made);
        return show(made);
      },
    },
    {
      method: 'POST',
      path: /^\/2\/media\/upload\/(\d{1,19})\/append$/,
      async handle(request, [id = '']) {
        check(request, 'media.write');
        const form = await request.formData();
        const { segment_index, media: file, ...others } = Object.fromEntries(form.entries());
        if (Object.keys(others).length > 0) throw invalid('An unknown field.');
        const index = z.coerce.number().int().min(0).max(999).parse(segment_index);
        if (!(file instanceof File)) throw invalid('media must be a file.');
        const found = find(id);
        if (found.isFinal) throw invalid('The upload is final.');
        found.segments.set(index, Buffer.from(await file.arrayBuffer()));
        return Response.json({ data: { expires_at: Math.floor(found.expiresAtMs / 1_000) } });
      },
    },
    {
      method: 'POST',
      path: /^\/2\/media\/upload\/(\d{1,19})\/finalize$/,
      async handle(request, [id = '']) {
        check(request, 'media.write');
        if ((await request.text()) !== '') throw invalid('The body must be empty.');
        const found = find(id);
        if (found.isFinal) throw invalid('The upload is final.');
        const isWhole = bytesOf(found).length === found.totalBytes;
        if (!isWhole) throw invalid('Segments do not add up to provided total file size.');
        found.isFinal = true;
        const isProcessed = found.category !== 'tweet_image';
        if (isProcessed && media.processing !== 'fails') found.pollsLeft = media.processing;
        return show(found);
      },
    },
    {
      method: 'GET',
      path: /^\/2\/media\/upload$/,
      handle(request) {
        check(request, 'media.write');
        const given = z
          .strictObject({ command: z.literal('STATUS'), media_id: z.string() })
          .safeParse(Object.fromEntries(new URL(request.url).searchParams.entries()));
        if (!given.success) throw invalid(z.prettifyError(given.error));
        const found = find(given.data.media_id);
        if (found.pollsLeft > 0) found.pollsLeft--;
        return show(found);
      },
    },
    {
      method: 'POST',
      path: /^\/2\/media\/metadata$/,
      async handle(request) {
        check(request, 'media.write');
        const { id, metadata } = await readJson(request, Metadata);
        const found = find(id);
        if (!found.type.startsWith('image/')) throw invalid('Only images and GIFs have alt texts.');
        found.altText = metadata.alt_text.text;
        return Response.json({ data: { id, associated_metadata: metadata } });
      },
    },
  ];
  return media;
}

function bytesOf({ segments }: XMedia): Buffer {
  const ordered = [...segments].toSorted(([a], [b]) => a - b);
  return Buffer.concat(ordered.map(([, bytes]) => bytes));
}
