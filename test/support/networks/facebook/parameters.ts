// The parameters of a request to the simulated Graph API, which come in the query, a form and JSON, in any mixture.
// Stricter than Facebook: it refuses a parameter that it doesn't know.
import { z } from 'zod';
import { parseJson } from '../../../../activities/platforms/json-client.ts';
import { invalid } from './refusals.ts';

export interface Given {
  parameters: Record<string, unknown>;
  files: Map<string, Buffer>;
}

export async function readGiven(request: Request): Promise<Given> {
  const files = new Map<string, Buffer>();
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const type = request.headers.get('content-type')?.split(';')[0];
  if (request.method === 'GET' || type === undefined) return { parameters: query, files };
  return { parameters: { ...query, ...toLists(await readBody(request, type, files)) }, files };
}

async function readBody(
  request: Request,
  type: string,
  files: Map<string, Buffer>,
): Promise<Record<string, unknown>> {
  switch (type) {
    case 'application/json': {
      const body = z.record(z.string(), z.unknown()).safeParse(await request.json());
      if (!body.success) throw invalid('The body is no object.');
      return body.data;
    }
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(new URLSearchParams(await request.text()));
    case 'multipart/form-data': {
      const fields: Record<string, unknown> = {};
      for (const [name, value] of await request.formData()) {
        if (typeof value === 'string') fields[name] = value;
        else files.set(name, Buffer.from(await value.arrayBuffer()));
      }
      return fields;
    }
    default:
      throw invalid(`Can't read ${type}`);
  }
}

/** `attached_media[0]` of a form becomes a list. */
function toLists(fields: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const list = /^(\w+)\[(\d+)\]$/.exec(name);
    if (!list) read[name] = value;
    else {
      const items = (read[list[1]!] ??= []) as unknown[];
      items[Number(list[2])] = value;
    }
  }
  return read;
}

/** Throws `(#100)`. */
export function read<T>(schema: z.ZodType<T>, parameters: Record<string, unknown>): T {
  const { data, error } = schema.safeParse(parameters);
  if (!error) return data;
  const [issue] = error.issues;
  const name = issue?.path.join('.') ?? '';
  const isMissing = issue?.code === 'invalid_type' && !(name in parameters);
  throw invalid(isMissing ? `The parameter ${name} is required` : z.prettifyError(error));
}

/** In a query and in a form, everything but a text is JSON. */
const jsonOf = <T>(schema: z.ZodType<T>) =>
  z.preprocess((given) => (typeof given === 'string' ? parseJson(given) : given), schema);

export const id = z.union([z.string().regex(/^\d+$/), z.int().transform(String)]);
export const flag = jsonOf(z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]));
export const count = jsonOf(z.int().min(0));
export const webUrl = z.url({ protocol: /^https?$/ });
/** Of the answer. */
const fields = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().join(','))
  .optional();

/** A field may have fields of its own: `attachments{type,target}`. */
export function splitFields(given: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of given) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${char}`);
  }
  return parts;
}

/** https://developers.facebook.com/docs/pages-api/posts */
export const NewPost = z
  .strictObject({
    message: z.string().min(1).max(63_206).optional(),
    link: webUrl.optional(),
    attached_media: jsonOf(z.array(jsonOf(z.strictObject({ media_fbid: id }))).min(1)).optional(),
    published: flag.default(true),
    fields,
  })
  .refine(
    ({ message, link, attached_media }) => message !== undefined || link || attached_media,
    'You must provide a message, a link or media',
  )
  .refine(({ link, attached_media }) => !link || !attached_media, 'A post has a link or media');

export const NewPhoto = z.strictObject({
  url: webUrl.optional(),
  caption: z.string().optional(),
  message: z.string().optional(),
  alt_text_custom: z.string().min(1).optional(),
  published: flag.default(true),
  temporary: flag.optional(),
  fields,
});

const video = { title: z.string().optional(), description: z.string().optional(), fields };

/** https://developers.facebook.com/docs/graph-api/reference/page/videos */
export const FeedVideo = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), file_size: count, fields }),
  z.strictObject({
    upload_phase: z.literal('transfer'),
    upload_session_id: id,
    start_offset: count,
    fields,
  }),
  z.strictObject({
    ...video,
    upload_phase: z.literal('finish'),
    upload_session_id: id,
    published: flag.default(true),
  }),
]);
/** Without phases. */
export const WholeVideo = z.strictObject({
  ...video,
  file_url: webUrl.optional(),
  published: flag.default(true),
});

/** https://developers.facebook.com/docs/video-api/guides/reels-publishing */
export const Reel = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), fields }),
  z.strictObject({
    ...video,
    upload_phase: z.literal('finish'),
    video_id: id,
    video_state: z.enum(['PUBLISHED', 'DRAFT', 'SCHEDULED']),
    place: id.optional(),
  }),
]);

/** https://developers.facebook.com/docs/page-stories-api */
export const VideoStory = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), fields }),
  z.strictObject({ upload_phase: z.literal('finish'), video_id: id, fields }),
]);
export const PhotoStory = z.strictObject({ photo_id: id, fields });

/** https://developers.facebook.com/docs/pages-api/comments-mentions */
export const NewComment = z.strictObject({
  message: z.string().min(1).optional(),
  attachment_id: id.optional(),
  attachment_url: webUrl.optional(),
  fields,
});

export const Thumbnail = z.strictObject({ is_preferred: flag.default(false), fields });

export const Listing = z.strictObject({
  fields,
  limit: jsonOf(z.int().min(1).max(100)).default(25),
  after: z.string().optional(),
  before: z.string().optional(),
  since: jsonOf(z.number()).default(0),
  until: jsonOf(z.number()).optional(),
  order: z.enum(['chronological', 'reverse_chronological']).default('chronological'),
  filter: z.enum(['toplevel', 'stream']).optional(),
  status: z.enum(['PUBLISHED', 'ARCHIVED']).optional(),
  summary: flag.optional(),
});
export type Listing = z.infer<typeof Listing>;

export const Reading = z.strictObject({ fields });
