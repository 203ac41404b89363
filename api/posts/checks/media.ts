// The media of a request, in any of its three forms, and what is known of each.
import { listMediaById } from '../../../schema/database/media/rows.ts';
import { idsOf } from '../../../schema/database/media/uses.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type { Db, MediaItem, MediaRow } from '../../../schema/database/tables.ts';
import type { PlatformPost, PostMediaInput } from '../../../schema/posts/posts.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Path, Text } from '../../../schema/wire/names.ts';
import { checkUrlSyntax } from '../../../schema/wire/url-rules.ts';
import { checkId } from '../../media/usable.ts';

type GivenMedia = Pick<PlatformPost, 'media' | 'media_ids' | 'media_urls'>;

/** Media of a post or a target, as the request names them. */
export interface NamedMedia {
  items: readonly MediaItem[];
  /** Path of the list. */
  path: Path;
  /** Path of one of the media. */
  pathOf: (index: number) => Path;
  issues: readonly Issue[];
}

const forms = ['media', 'media_ids', 'media_urls'] as const;
type Form = (typeof forms)[number];

/**
 * The forms that the request uses for its media. If it has several forms, an empty list counts as left out.
 */
export function listForms(given: GivenMedia): Form[] {
  const named = forms.filter((form) => given[form] !== undefined);
  return named.length > 1 ? named.filter((form) => given[form]!.length > 0) : named;
}

/** Undefined: the request names no media. */
export function readMedia(given: GivenMedia, at: Path): NamedMedia | undefined {
  const [form, ...others] = listForms(given);
  if (!form) return undefined;
  const path = [...at, form];
  const pathOf = (index: number) => [...path, index];
  const inputs = inputsOf(given, form);
  const media = { items: inputs.map(toItem), path, pathOf };
  if (others.length > 0) {
    const message: Text = ({ field }) =>
      `Give the media in one form: ${[form, ...others].map(field).join(' or ')}.`;
    return { ...media, issues: [{ path, code: 'several_media_forms', message }] };
  }
  const issues = inputs.flatMap((input, i) =>
    form === 'media' ? checkForm(input, pathOf(i)) : checkUrl(input.url, pathOf(i)),
  );
  return { ...media, issues };
}

/** A single image or video that the request names outside its list of media. */
export function readOneMedia(input: PostMediaInput, path: Path): NamedMedia {
  return { items: [toItem(input)], path, pathOf: () => path, issues: checkForm(input, path) };
}

function inputsOf({ media, media_ids, media_urls }: GivenMedia, form: Form): PostMediaInput[] {
  if (form === 'media') return media!;
  return form === 'media_ids'
    ? media_ids!.map((id) => ({ id }))
    : media_urls!.map((url) => ({ url }));
}

function toItem({ id, url, alt_text, thumbnail_id, thumbnail_at_ms }: PostMediaInput): MediaItem {
  return {
    id: id ?? null,
    url: url ?? null,
    alt_text: alt_text ?? null,
    thumbnail_id: thumbnail_id ?? null,
    thumbnail_at_ms: thumbnail_at_ms ?? null,
  };
}

function checkForm({ id, url }: PostMediaInput, path: Path): Issue[] {
  const [hasId, hasUrl] = [id, url].map((value) => typeof value === 'string');
  const isBoth = hasId && hasUrl;
  if (hasId === hasUrl) {
    const not = isBoth ? ', not both' : '';
    const message: Text = ({ field }) => `must have ${field('id')} or ${field('url')}${not}`;
    return [{ path, code: 'id_or_url', message }];
  }
  return checkUrl(url, [...path, 'url']);
}

/** The address is checked when the URL is fetched. */
function checkUrl(url: string | null | undefined, path: Path): Issue[] {
  if (typeof url !== 'string') return [];
  const checked = checkUrlSyntax(url);
  if (checked.ok) return [];
  const isForm = checked.code === 'not_absolute' || checked.code === 'not_https';
  const code = isForm ? 'invalid_url' : checked.code;
  const message = isForm ? 'must be an absolute http or https URL' : checked.message;
  return [{ path, code, message, actual: url.slice(0, 64) }];
}

export type FoundMedia = ReadonlyMap<string, MediaRow>;

/** Media that the caller can't see are not found. */
export async function findNamedMedia(
  db: Db,
  scope: RowScope,
  named: readonly (NamedMedia | undefined)[],
): Promise<FoundMedia> {
  const ids = idsOf(named.flatMap((media) => media?.items ?? []));
  const rows = await listMediaById(db, scope, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether each named ID is usable. */
export function checkIds({ items, pathOf, path: list }: NamedMedia, found: FoundMedia): Issue[] {
  const isShort = list.at(-1) === 'media_ids';
  return items.flatMap(({ id, thumbnail_id }, i) => {
    const path = isShort ? pathOf(i) : [...pathOf(i), 'id'];
    const own = id === null ? [] : checkId(found.get(id), path);
    if (thumbnail_id === null) return own;
    const thumbnail = found.get(thumbnail_id);
    const at = [...pathOf(i), 'thumbnail_id'];
    const message = 'must be an image';
    const isOther = thumbnail?.kind != null && thumbnail.kind !== 'image';
    return [
      ...own,
      ...(isOther ? [{ path: at, code: 'thumbnail_not_image', message }] : checkId(thumbnail, at)),
    ];
  });
}
