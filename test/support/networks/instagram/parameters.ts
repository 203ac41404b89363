// Parameters that a container of the simulated Instagram may have. By
// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, read
// on 2026-11-26. Stricter than Instagram: it refuses a parameter that it doesn't know. The code of a wrong
// collaborator is from an answer that a client has published.
import { z } from 'zod';
import { GraphRefusal, invalid } from '../meta/refusals.ts';
import {
  count,
  fields,
  flag,
  id,
  jsonOf,
  read,
  webUrl,
  type Parameters,
} from '../meta/requests.ts';

/** A list as JSON, or IDs with commas. */
const ids = z.union([
  z
    .string()
    .regex(/^\d+(,\d+)*$/)
    .transform((given) => given.split(',')),
  jsonOf(z.array(id)),
]);
const tag = z.strictObject({
  username: z.string(),
  x: z.number().min(0).max(1).optional(),
  y: z.number().min(0).max(1).optional(),
});

const NewContainer = z.strictObject({
  media_type: z.string().optional(),
  image_url: webUrl.optional(),
  video_url: webUrl.optional(),
  is_carousel_item: flag.optional(),
  children: ids.optional(),
  caption: z.string().optional(),
  alt_text: z.string().min(1).max(1_000).optional(),
  collaborators: jsonOf(z.array(z.string()).max(3)).optional(),
  user_tags: jsonOf(z.array(tag)).optional(),
  location_id: id.optional(),
  cover_url: webUrl.optional(),
  thumb_offset: count.optional(),
  share_to_feed: flag.optional(),
  audio_name: z.string().min(1).optional(),
  /** Fields that the answer must have. */
  fields,
});
export type NewContainer = Omit<z.infer<typeof NewContainer>, 'fields'>;
export type ContainerKind = 'IMAGE' | 'VIDEO' | 'REELS' | 'STORIES' | 'CAROUSEL';

/** Parameters that each kind takes in addition to those of its file. */
const taken: Record<ContainerKind | 'ITEM', readonly (keyof NewContainer)[]> = {
  IMAGE: ['caption', 'alt_text', 'collaborators', 'user_tags', 'location_id'],
  ITEM: ['alt_text', 'user_tags', 'is_carousel_item', 'thumb_offset'],
  VIDEO: [],
  REELS: [
    'caption',
    'collaborators',
    'user_tags',
    'location_id',
    'cover_url',
    'thumb_offset',
    'share_to_feed',
    'audio_name',
  ],
  STORIES: ['user_tags', 'location_id'],
  CAROUSEL: ['caption', 'collaborators', 'location_id', 'children'],
};

const maxCaption = 2_200;
const maxTags = 20;

/** Throws if Instagram would refuse the container. */
export function readNewContainer(given: Parameters): { data: NewContainer; kind: ContainerKind } {
  const { fields: _, ...data } = read(NewContainer, given);
  const kind = kindOf(data);
  const isItem = data.is_carousel_item === true;
  if (isItem && kind !== 'IMAGE' && kind !== 'VIDEO') throw invalid('Not in a carousel');
  if (kind === 'VIDEO' && !isItem) throw unknownType('VIDEO');
  checkNames(data, isItem ? 'ITEM' : kind);
  checkFiles(data, kind);
  checkTexts(data);
  checkTags(data, kind);
  return { data, kind };
}

const unknownType = (type: string) =>
  new GraphRefusal(100, 'Invalid parameter', {
    subcode: 2207023,
    shown: `The media type ${type} is unknown.`,
  });

function kindOf({ media_type: type }: NewContainer): ContainerKind {
  if (type === undefined) return 'IMAGE';
  if (type === 'CAROUSEL' || type === 'REELS' || type === 'STORIES' || type === 'VIDEO')
    return type;
  throw unknownType(type);
}

function checkNames(data: NewContainer, kind: ContainerKind | 'ITEM'): void {
  const files = ['media_type', 'image_url', 'video_url'];
  const known: readonly string[] = [...files, ...taken[kind]];
  const wrong = Object.keys(data).find((name) => !known.includes(name));
  if (wrong !== undefined) throw invalid(`The parameter ${wrong} is not allowed.`);
}

function checkFiles(
  { image_url, video_url, alt_text, children = [] }: NewContainer,
  kind: ContainerKind,
) {
  const [hasImage, hasVideo] = [image_url !== undefined, video_url !== undefined];
  const isRight =
    kind === 'CAROUSEL'
      ? !hasImage && !hasVideo
      : kind === 'STORIES'
        ? hasImage !== hasVideo
        : kind === 'IMAGE'
          ? hasImage && !hasVideo
          : hasVideo && !hasImage;
  if (!isRight) throw invalid('The parameter image_url or video_url is required.');
  if (hasVideo && alt_text !== undefined) throw invalid('Videos have no alt_text.');
  if (kind === 'CAROUSEL' && (children.length < 2 || children.length > 10)) {
    throw new GraphRefusal(100, 'Invalid parameter', {
      subcode: 2207028,
      shown:
        'Your post won’t work as a carousel. Carousels need at least 2 photos or videos and no more than 10.',
    });
  }
}

function checkTexts({ caption = '', collaborators = [] }: NewContainer): void {
  const count = (sign: RegExp) => caption.match(sign)?.length ?? 0;
  if (Array.from(caption).length > maxCaption || count(/#[\p{L}\p{N}_]+/gu) > 30) {
    throw new GraphRefusal(36004, 'The caption is too long.', {
      subcode: 2207010,
      shown: `The submitted caption is ${caption.length} characters long.`,
    });
  }
  if (collaborators.some((name) => !/^[\w.]+$/.test(name))) {
    throw new GraphRefusal(100, 'Invalid parameter', { subcode: 2207018, shown: 'User not found' });
  }
}

function checkTags({ user_tags: tags = [], video_url }: NewContainer, kind: ContainerKind): void {
  if (tags.length > maxTags) {
    throw new GraphRefusal(100, 'Invalid parameter', {
      subcode: 2207040,
      shown: `Cannot use more than ${maxTags} tags per created media.`,
    });
  }
  for (const { x, y, username } of tags) {
    if (!/^[\w.]+$/.test(username)) throw invalid('Invalid username');
    const isPlaced = x !== undefined && y !== undefined;
    const isFree = x === undefined && y === undefined;
    const mayBeFree = video_url !== undefined || kind === 'STORIES';
    if (!(isPlaced || (isFree && mayBeFree))) throw invalid('A tag needs x and y.');
    if (isPlaced && video_url !== undefined) throw invalid('A tag of a video has no x.');
  }
}
