// Checks the content of a target against the rules of its network.
import type { z } from 'zod';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import { platformTitles } from '../../../schema/platforms/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import type { Platforms } from '../../../activities/platforms/index.ts';
import { checkText } from '../../../activities/platforms/text-rules.ts';
import { check } from '../../http/validation.ts';
import { checkMediaUrls } from './media-urls.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';

export function checkContent(
  platforms: Platforms,
  platform: Platform,
  target: RequestTarget,
  input: TargetInput,
): Issue[] {
  const { own, at } = target;
  const [caption, captionPath] =
    own.caption === undefined ? [input.caption, ['caption']] : [own.caption, [...at, 'caption']];
  return [
    ...checkNetwork(platform, target),
    ...checkOptions(platforms, platform, target),
    ...checkText(platform, caption, { path: captionPath, options: optionsOf(platform, target) }),
    ...checkMedia(platform, target, input),
    ...checkReplies(platform, target),
  ];
}

function checkMedia({ name, rules }: Platform, { own, at }: RequestTarget, input: TargetInput) {
  const [urls, path] = own.media_urls
    ? [own.media_urls, [...at, 'media_urls']]
    : [input.media_urls, ['media_urls']];
  // The URLs of the post are checked once, not for each target.
  const issues = own.media_urls ? checkMediaUrls(own.media_urls, path) : [];
  const actual = urls.length;
  if (actual > 0 && !rules.media) {
    const message: Text = ({ field }) =>
      `${platformTitles[name]} takes no media here. Give its target ${field('media_urls: []')}.`;
    return [...issues, { path, code: 'media_not_supported', message, actual, limit: 0 }];
  }
  const limit = rules.media?.max ?? 0;
  if (actual <= limit) return issues;
  const message = `${platformTitles[name]} allows at most ${limit} media.`;
  return [...issues, { path, code: 'too_many_media', message, actual, limit }];
}

function checkReplies(platform: Platform, { own, at }: RequestTarget): Issue[] {
  const { name, rules } = platform;
  const { replies } = rules;
  if (!replies) {
    return (['thread_position', 'first_comment', 'in_reply_to'] as const)
      .filter((field) => own[field] !== undefined)
      .map((field) => {
        const message: Text = (names) =>
          `This account can't reply on ${platformTitles[name]}, so it takes no ${names.field(field)}.`;
        return { path: [...at, field], code: 'replies_not_supported', message };
      });
  }
  const issues: Issue[] = [];
  if (own.first_comment !== undefined) {
    issues.push(
      ...checkText(platform, own.first_comment, {
        path: [...at, 'first_comment'],
        isComment: true,
      }),
    );
  }
  if (own.in_reply_to !== undefined && !replies.id.test(own.in_reply_to)) {
    const message = `must be the id of a post at ${platformTitles[name]}, such as ${replies.example}`;
    const actual = own.in_reply_to.slice(0, 64);
    issues.push({ path: [...at, 'in_reply_to'], code: 'invalid_post_id', message, actual });
  }
  return issues;
}

/** Invalid options count as none here. `checkOptions` reports them. */
function optionsOf({ options }: Platform, { own }: RequestTarget): Record<string, unknown> {
  return options.safeParse(own.platform_options ?? {}).data ?? {};
}

function isOfOther({ name }: Platform, { own }: RequestTarget): boolean {
  return own.platform !== undefined && own.platform !== name;
}

function checkNetwork(platform: Platform, target: RequestTarget): Issue[] {
  if (!isOfOther(platform, target)) return [];
  const { own, at } = target;
  const message = `must be the account's network, ${platform.name}`;
  return [{ path: [...at, 'platform'], code: 'other_network', message, actual: own.platform! }];
}

function checkOptions(platforms: Platforms, platform: Platform, target: RequestTarget): Issue[] {
  if (isOfOther(platform, target)) return [];
  const { own, at } = target;
  const path = [...at, 'platform_options'];
  const { issues } = check(platform.options, own.platform_options ?? {}, { at: path });
  return issues.map((issue) => {
    const isUnknown = issue.code === 'unknown_field' && issue.path.length === path.length + 1;
    if (!isUnknown) return issue;
    return { ...issue, message: explainOption(platforms, platform, String(issue.path.at(-1))) };
  });
}

/** An option of another network is the most common mistake. */
function explainOption(platforms: Platforms, { name, options }: Platform, key: string): string {
  const owners = [...platforms.values()]
    .filter((platform) => optionNames(platform.options).includes(key))
    .map((platform) => platform.name);
  const own = optionNames(options);
  const known = own.length > 0 ? `, which takes ${own.join(', ')}` : '';
  return owners.length > 0
    ? `is an option of ${owners.join(', ')}, not of ${name}${known}`
    : `is not an option of ${name}${known}`;
}

function optionNames(options: z.ZodType): string[] {
  return 'shape' in options ? Object.keys(options.shape as object) : [];
}
