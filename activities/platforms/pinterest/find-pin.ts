// Finds a pin on its board after an unknown outcome. Pinterest stores no ID of ours.
import { z } from 'zod';
import { earliestOf, toComparable } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { pageOf, pageSize, unlessGone } from './api.ts';
import { readOptions, textsOf, toPublished } from './pin.ts';

const text = z.string().nullish();
/** https://developers.pinterest.com/docs/api/v5/boards-list_pins */
const Listed = z.object({
  id: z.string().regex(/^\d+$/),
  created_at: z.string(),
  title: text,
  description: text,
  link: text,
  alt_text: text,
  media: z.object({ media_type: z.string() }).nullish().catch(undefined),
});
type Listed = z.infer<typeof Listed>;
const Page = pageOf(Listed);

const maxPages = 4;

/**
 * `absent`: the whole board was read, or its pins came newest first up to those before the target was due. Pinterest
 * doesn't document the order, so the pins themselves must show it.
 */
export async function findPin(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { board_id } = readOptions(target);
  const since = earliestOf(target);
  const pins: Listed[] = [];
  let bookmark: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const query = { page_size: pageSize, bookmark };
    const page = await ask(`/boards/${board_id}/pins`, Page, { query }).catch(unlessGone);
    // The board was deleted with its pins, or the account may no longer see it.
    if (!page) return { outcome: 'unknown' };
    pins.push(...page.body.items);
    bookmark = page.body.bookmark || undefined;
    if (bookmark === undefined || isReadUpTo(pins, since)) return judge(pins, since, target, true);
  }
  return judge(pins, since, target, false);
}

function judge(
  pins: readonly Listed[],
  since: number,
  target: Target,
  isComplete: boolean,
): ReconcileOutcome {
  const recent = pins
    .filter((pin) => timeOf(pin) >= since)
    // The oldest pin comes first, since an equal pin that a person made later comes after it.
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .map((pin) => ({ pin, likeness: compare(pin, target) }));
  const found = recent.find(({ likeness }) => likeness === 'same');
  if (found) return toPublished(found.pin.id);
  const isSure = isComplete && recent.every(({ likeness }) => likeness === 'other');
  return { outcome: isSure ? 'absent' : 'unknown' };
}

/** Pins of the same time show no order. */
function isReadUpTo(pins: readonly Listed[], since: number): boolean {
  const times = pins.map(timeOf);
  const [first = 0, last = Infinity] = [times[0], times.at(-1)];
  const isNewestFirst = times.every((time, i) => i === 0 || time <= times[i - 1]!);
  return isNewestFirst && last < first && last < since;
}

/**
 * Pinterest describes a time with a zone, and answers without one:
 * https://github.com/pinterest/api-quickstart/issues/78
 */
const timeOf = ({ created_at: time }: Listed) =>
  Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);

type Likeness = 'same' | 'perhaps' | 'other';

/**
 * A pin may be the target's although its link differs, because Pinterest may write the link in another form. Pinterest
 * may show no alt text.
 */
function compare(pin: Listed, target: Target): Likeness {
  const texts = textsOf(target, readOptions(target));
  const isSame = (name: 'title' | 'description' | 'alt_text') =>
    toComparable(pin[name] ?? '') === toComparable(texts[name] ?? '');
  const hasOtherAltText = pin.alt_text && texts.alt_text && !isSame('alt_text');
  if (!isSame('title') || !isSame('description') || hasOtherAltText) return 'other';
  if (![undefined, typeOf(target)].includes(pin.media?.media_type)) return 'other';
  if (toComparableLink(pin.link) !== toComparableLink(texts.link))
    return pin.link && texts.link ? 'perhaps' : 'other';
  const hasText = texts.title ?? texts.description ?? texts.link;
  return hasText === undefined ? 'perhaps' : 'same';
}

function typeOf({ media: [first, ...others] }: Target): string {
  if (first?.kind === 'video') return 'video';
  return others.length > 0 ? 'multiple_images' : 'image';
}

/** The link in the form of the URL standard, since Pinterest may write it in another form. */
export const toComparableLink = (link: string | null | undefined): string =>
  link && URL.canParse(link) ? new URL(link).href : (link ?? '');
