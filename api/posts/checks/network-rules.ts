// Checks the content of a target against the rules of its network.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import type { Platforms } from '../../../activities/platforms/index.ts';
import type { MediaFacts } from '../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../activities/platforms/text-rules.ts';
import { checkNetwork, checkOptions } from '../../platforms/check-options.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';

export function checkContent(
  network: PlatformEntry,
  target: RequestTarget,
  input: Pick<TargetInput, 'caption'>,
  media: readonly MediaFacts[],
): Issue[] {
  const { own, at } = target;
  const [caption, captionPath] =
    own.caption === undefined ? [input.caption, ['caption']] : [own.caption, [...at, 'caption']];
  return [
    ...checkNetwork(network.name, own.platform, [...at, 'platform']),
    ...checkText(network, caption, {
      path: captionPath,
      options: optionsOf(network, target),
      media,
    }),
    ...checkReplies(network, target),
  ];
}

function checkReplies(network: PlatformEntry, { own, at }: RequestTarget): Issue[] {
  const { title, rules } = network;
  const { replies } = rules;
  if (!replies) {
    return (['thread_position', 'first_comment', 'in_reply_to'] as const)
      .filter((field) => own[field] !== undefined)
      .map((field) => {
        const message: Text = (names) =>
          `This account can't reply on ${title}, so it takes no ${names.field(field)}.`;
        return { path: [...at, field], code: 'replies_not_supported', message };
      });
  }
  const issues: Issue[] = [];
  if (replies.areComments && own.thread_position !== undefined) {
    const path = [...at, 'thread_position'];
    const message = `A reply on ${title} is a comment, which takes no reply itself.`;
    issues.push({ path, code: 'threads_not_supported', message });
  }
  if (own.first_comment !== undefined) {
    issues.push(
      ...checkText(network, own.first_comment, {
        path: [...at, 'first_comment'],
        isComment: true,
      }),
    );
  }
  if (own.in_reply_to !== undefined && !replies.id.test(own.in_reply_to)) {
    const message = `must be the id of a post at ${title}, such as ${replies.example}`;
    const actual = own.in_reply_to.slice(0, 64);
    issues.push({ path: [...at, 'in_reply_to'], code: 'invalid_post_id', message, actual });
  }
  return issues;
}

/** Invalid options count as none here. `checkOptions` reports them. */
export function optionsOf(
  { options }: PlatformEntry,
  { own }: RequestTarget,
): Record<string, unknown> {
  return options.safeParse(own.platform_options ?? {}).data ?? {};
}

function isOfOther({ name }: PlatformEntry, { own }: RequestTarget): boolean {
  return own.platform !== undefined && own.platform !== name;
}

export function checkOwnOptions(
  platforms: Platforms,
  network: PlatformEntry,
  target: RequestTarget,
): Issue[] {
  if (isOfOther(network, target)) return [];
  const { own, at } = target;
  const options = own.platform_options ?? {};
  return checkOptions(platforms, network, options, [...at, 'platform_options']);
}
