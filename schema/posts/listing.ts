// Lists of posts as the wire shows them: filters, orders and counts.
import { z } from 'zod';
import { GivenPlatform } from '../platforms/index.ts';
import { CountedDay } from '../wire/counts.ts';
import { formerName } from '../wire/deprecations.ts';
import { describedEnum } from '../wire/described-enum.ts';
import {
  commaList,
  listQuery,
  mapParameter,
  oneNameOf,
  ordered,
  PageMeta,
  repeatedList,
} from '../wire/listing.ts';
import { GivenUserId } from '../wire/shared-fields.ts';
import { GivenTime } from '../wire/timestamp.ts';
import { GivenLabel } from './labels.ts';
import { GivenMetadata, PostStatus } from './posts.ts';

export const PostOrder = describedEnum('PostOrder', 'Order of posts.', {
  '-created_at': 'By time of creation, the newest first.',
  scheduled_at: 'By scheduled time, the earliest first. Posts without a scheduled time come last.',
  '-scheduled_at': 'By scheduled time, the latest first. Posts without a scheduled time come last.',
  '-published_at':
    'By time of publication, the latest first. Posts that were not published come last.',
});
export type PostOrder = z.infer<typeof PostOrder>;

export const PostInclude = describedEnum('PostInclude', 'What to add to the list.', {
  total_count: 'Number of posts that match, in `meta.total_count`.',
});

/** A total is counted up to this number. */
export const maxTotalCount = 10_000;

export const TotalCount = z
  .object({
    value: z.int().meta({
      description: `Number of matching posts, at most ${maxTotalCount}.`,
    }),
    is_capped: z.boolean().meta({
      description: `Whether there are more than ${maxTotalCount} matching posts.`,
    }),
  })
  .meta({ id: 'TotalCount', description: 'Number of posts that match the filters of a list.' });
export type TotalCount = z.infer<typeof TotalCount>;

export const PostPageMeta = PageMeta.extend({
  total_count: TotalCount.optional().meta({
    description: 'Number of matching posts. Only with `include=total_count`.',
  }),
}).meta({ id: 'PostPageMeta', description: 'Position of a page in the list of posts.' });
export type PostPageMeta = z.infer<typeof PostPageMeta>;

/** At least two letters or digits. Everything else separates words. */
export const SearchedWords = z
  .string()
  .trim()
  .min(2, { abort: true })
  .max(200)
  .refine((text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2, {
    message: 'must have at least 2 letters or digits',
    params: { code: 'no_words' },
  });

const bounds = (what: string) => ({
  from: GivenTime.optional().meta({ description: `Only posts ${what} at or after this time.` }),
  to: GivenTime.optional().meta({ description: `Only posts ${what} before this time.` }),
});
const created = bounds('created');
const scheduled = bounds('scheduled for a time');
const published = bounds('published');

const filters = {
  status: commaList(PostStatus, 'Only posts with one of these statuses.'),
  platform: GivenPlatform.optional().meta({ description: 'Only posts to this network.' }),
  account_id: z.string().min(1).optional().meta({ description: 'Only posts to this account.' }),
  social_account_id: z.string().min(1).optional().meta(formerName('account_id', '0.2')),
  external_user_id: GivenUserId.optional().meta({
    description: 'Only posts to accounts of this user.',
  }),
  label: repeatedList(GivenLabel, 'Only posts with one of these labels.'),
  metadata: mapParameter(
    GivenMetadata.refine((pairs) => Object.keys(pairs).length > 0, 'must have at least 1 entry'),
    'Only posts whose metadata has all these pairs.',
  ),
  q: SearchedWords.optional().meta({
    description:
      'Only posts whose caption, or that of one of their targets, has all these words or words that begin with them. At least 2 characters.',
  }),
  created_from: created.from,
  created_to: created.to,
  from: created.from.meta({ description: 'The same as `created_from`.' }),
  to: created.to.meta({ description: 'The same as `created_to`.' }),
  scheduled_from: scheduled.from,
  scheduled_to: scheduled.to,
  published_from: published.from,
  published_to: published.to,
};

const otherNames = { from: 'created_from', to: 'created_to', social_account_id: 'account_id' };

const intervals = [
  ['from', 'to'],
  ['created_from', 'created_to'],
  ['created_from', 'to'],
  ['from', 'created_to'],
  ['scheduled_from', 'scheduled_to'],
  ['published_from', 'published_to'],
] as const;

/** Refuses two names of one filter, and intervals that end before they start. */
function withFilterRules<Query extends z.ZodObject>(query: Query): Query {
  return intervals.reduce(
    (checked, [first, last]) => ordered(checked, first, last),
    oneNameOf(query, otherNames),
  );
}

export const ListPosts = withFilterRules(
  listQuery({
    ...filters,
    order: PostOrder.default('-created_at').meta({
      description: 'Order of the list. A cursor belongs to its order. Default: -created_at.',
    }),
    include: commaList(PostInclude, 'What to add to the list.'),
  }),
);
export type ListPosts = z.infer<typeof ListPosts>;

export const ExportPosts = withFilterRules(
  z.strictObject({
    ...filters,
    order: PostOrder.default('-created_at').meta({
      description: 'Order of the rows. Default: -created_at.',
    }),
  }),
);
export type ExportPosts = z.infer<typeof ExportPosts>;
export type PostFilters = Partial<Pick<ListPosts, keyof typeof filters>>;

export const PostCount = z
  .object({
    date: CountedDay,
    status: PostStatus,
    count: z.int().meta({ description: 'Number of posts of that day with the status.' }),
  })
  .meta({ id: 'PostCount', description: 'Number of posts of one day with one status.' });
export type PostCount = z.infer<typeof PostCount>;
