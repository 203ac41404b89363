// Slack: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import {
  definePlatform,
  notWithMedia,
  type MediaRefusal,
  type MediaRules,
  type PlatformRules,
} from './definition.ts';
import { escapeMarkup } from './text/escape-markup.ts';

/** https://docs.slack.dev/reference/block-kit/blocks */
const maxBlocks = 50;

const options = z
  .strictObject({
    blocks: z
      .array(z.looseObject({ type: z.string().min(1).max(100) }))
      .min(1)
      .max(maxBlocks)
      // Slack's own limit is lower, varies and is undocumented: `msg_blocks_too_long`.
      .refine((all) => JSON.stringify(all).length <= 50_000, 'must have at most 50,000 characters')
      .optional()
      .meta({
        description:
          'Block Kit blocks, sent unchanged. Slack shows them instead of the caption, and above pictures. Notifications show the caption.',
      }),
    mrkdwn: z.boolean().optional().meta({
      description:
        'Whether the caption is Slack mrkdwn, such as `*bold*`, `<https://example.com|link>` or `<@U0123456789>`. Default: false, which shows the caption as written. With a video, Slack always formats `*bold*` and the like.',
    }),
    unfurl_links: z.boolean().optional().meta({ description: 'Whether to preview linked pages.' }),
    unfurl_media: z.boolean().optional().meta({ description: 'Whether to preview linked media.' }),
    reply_broadcast: z.boolean().optional().meta({
      description:
        'Whether to show a reply in the channel and not only in its thread. Posts that are not replies ignore it. Default: false.',
    }),
  })
  .meta({ id: 'SlackOptions', description: 'Options of a post to Slack.' });

/** Needed only for media, so an account can lack this scope. */
export const uploadScope = 'files:write';
export const noUploads = {
  code: 'missing_scope',
  message: `The Slack app lacks the bot scope ${uploadScope}. Add it, install the app again, and connect the account again.`,
};

const media: MediaRules = {
  // Slack documents no limit. Its own apps send as many at once.
  max: 10,
  canMix: true,
  // https://docs.slack.dev/reference/block-kit/composition-objects/slack-file-object
  image: { max: 10, types: ['image/jpeg', 'image/png', 'image/gif'] },
  // The types that Slack shows in a message. Slack documents no limit of their size.
  video: { max: 10, types: ['video/mp4', 'video/quicktime', 'video/webm'] },
  // https://docs.slack.dev/reference/block-kit/blocks/image-block
  altText: 2_000,
  hasNoAltTextWithVideo: true,
  refuse: (media, { blocks = [], unfurl_links, unfurl_media, reply_broadcast }) =>
    media.some(({ kind }) => kind === 'video')
      ? // https://docs.slack.dev/reference/methods/files.completeUploadExternal takes none of these options.
        notWithMedia(
          'Slack',
          { unfurl_links, unfurl_media, reply_broadcast: reply_broadcast || undefined },
          'a video',
        )
      : refuseBlocks((blocks as unknown[]).length, media.length),
};

function refuseBlocks(blocks: number, pictures: number): MediaRefusal[] {
  if (blocks === 0 || blocks + pictures <= maxBlocks) return [];
  const message = `Slack accepts at most ${maxBlocks} blocks, and each picture is one.`;
  return [{ code: 'too_many_blocks', message, option: 'blocks' }];
}

const rules = {
  // Slack splits a longer text into several messages and returns only one of their IDs.
  text: {
    max: 4_000,
    unit: 'characters',
    count: (...given) => Array.from(toText(...given)).length,
  },
  isTextRequired: true,
  media,
  replies: { id: /^\d{1,12}\.\d{6}$/, example: '1503435956.000247' },
  source: 'https://docs.slack.dev/reference/methods/chat.postMessage#truncating',
} satisfies PlatformRules;

export const slack = definePlatform({
  name: 'slack',
  title: 'Slack',
  settings: { apiUrl: baseUrl("Slack's Web API.", 'https://slack.com/api') },
  rules,
  rulesFor: ({ canUpload }) =>
    canUpload === false ? { ...rules, media: { ...media, refuse: () => [noUploads] } } : rules,
  options,
  afterPublishing: {
    unpublish: {
      withinS: null,
      scopes: [],
      except: ['Files of a message, which stay in the list of files of the workspace.'],
    },
    edit: {
      fields: ['caption'],
      withinS: null,
      scopes: [],
      except: ['Posts with media, and posts with the option `blocks`.'],
      refuse: ({ mediaCount, options }) => {
        if (mediaCount > 0) return 'Fanfare edits only posts of Slack without media.';
        if (options['blocks'] === undefined) return undefined;
        return 'Slack shows the `blocks` of the post instead of its caption.';
      },
    },
    byHand: 'Use Slack. Only an administrator can remove a message of an app.',
    sources: {
      unpublish: 'https://docs.slack.dev/reference/methods/chat.delete',
      edit: 'https://docs.slack.dev/reference/methods/chat.update',
    },
  },
  trialPost: { seenBy: 'everyone in the channel' },
  commitRepeatsForMs: 0,
  // Slack shares a video within seconds, or never.
  clock: { confirmForMs: 600_000 },
});

/** @see https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function toText(caption: string, { mrkdwn }: Record<string, unknown>): string {
  return mrkdwn === true ? caption : escapeMarkup(caption);
}
