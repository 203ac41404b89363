// Checks what one target would publish against the rules of its network.
import type { z } from 'zod';
import type { Issue } from '../../../schema/wire/errors.ts';
import { platformTitles } from '../../../schema/platforms/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import type { Platforms } from '../../../activities/platforms/index.ts';
import { checkText } from '../../../activities/platforms/text-rules.ts';
import { bodyOptions, toIssues } from '../../http/validation.ts';
import { checkMediaUrls } from './media-urls.ts';
import type { NamedTarget, TargetInput } from './named-targets.ts';

export function checkContent(
  platforms: Platforms,
  platform: Platform,
  target: NamedTarget,
  input: TargetInput,
): Issue[] {
  const { own, at } = target;
  const [caption, captionPath] =
    own.caption === undefined ? [input.caption, 'caption'] : [own.caption, `${at}caption`];
  return [
    ...checkNetwork(platform, target),
    ...checkOptions(platforms, platform, target),
    ...checkText(platform, caption, { path: captionPath, options: optionsOf(platform, target) }),
    ...checkMedia(platform, target, input),
    ...checkReplies(platform, target),
  ];
}

function checkMedia({ name, rules }: Platform, { own, at }: NamedTarget, input: TargetInput) {
  const [urls, path] = own.media_urls
    ? [own.media_urls, `${at}media_urls`]
    : [input.media_urls, 'media_urls'];
  // Those of the post are checked once, not for each target.
  const issues = own.media_urls ? checkMediaUrls(own.media_urls, path) : [];
  const actual = urls.length;
  if (actual > 0 && !rules.media) {
    const message = `${platformTitles[name]} takes no media here. Give its target \`media_urls: []\`.`;
    return [...issues, { path, code: 'media_not_supported', message, actual, limit: 0 }];
  }
  const limit = rules.media?.max ?? 0;
  if (actual <= limit) return issues;
  const message = `${platformTitles[name]} takes ${limit} media at most.`;
  return [...issues, { path, code: 'too_many_media', message, actual, limit }];
}

function checkReplies(platform: Platform, { own, at }: NamedTarget): Issue[] {
  const { name, rules } = platform;
  const { replies } = rules;
  if (!replies) {
    return (['thread_position', 'first_comment', 'in_reply_to'] as const)
      .filter((field) => own[field] !== undefined)
      .map((field) => {
        const message = `This account can't reply on ${platformTitles[name]}, so it takes no \`${field}\`.`;
        return { path: `${at}${field}`, code: 'replies_not_supported', message };
      });
  }
  const issues: Issue[] = [];
  if (own.first_comment !== undefined) {
    issues.push(
      ...checkText(platform, own.first_comment, { path: `${at}first_comment`, isComment: true }),
    );
  }
  if (own.in_reply_to !== undefined && !replies.id.test(own.in_reply_to)) {
    const message = `must be the id of a post at ${platformTitles[name]}, such as ${replies.example}`;
    const actual = own.in_reply_to.slice(0, 64);
    issues.push({ path: `${at}in_reply_to`, code: 'invalid_post_id', message, actual });
  }
  return issues;
}

/** Wrong ones count as none: they are found by their schema. */
function optionsOf({ options }: Platform, { own }: NamedTarget): Record<string, unknown> {
  return options.safeParse(own.platform_options ?? {}).data ?? {};
}

function isOfOther({ name }: Platform, { own }: NamedTarget): boolean {
  return own.platform !== undefined && own.platform !== name;
}

function checkNetwork(platform: Platform, target: NamedTarget): Issue[] {
  if (!isOfOther(platform, target)) return [];
  const { own, at } = target;
  const message = `must be the account's network, ${platform.name}`;
  return [{ path: `${at}platform`, code: 'other_network', message, actual: own.platform! }];
}

function checkOptions(platforms: Platforms, platform: Platform, target: NamedTarget): Issue[] {
  if (isOfOther(platform, target)) return [];
  const { own, at } = target;
  const parsed = platform.options.safeParse(own.platform_options ?? {}, { reportInput: true });
  return (parsed.error?.issues ?? []).flatMap((issue) =>
    toIssues(issue, bodyOptions, ['platform_options']).map((fault, i) => {
      const key =
        issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys[i] : undefined;
      return {
        ...fault,
        path: `${at}${fault.path}`,
        ...(key === undefined ? {} : { message: explainOption(platforms, platform, key) }),
      };
    }),
  );
}

/** Options of another network are the common mistake. */
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
