// Checks a post as a whole: what its network says of its caption, its media and its options together.
import type { MediaFacts } from '../../../activities/platforms/media-rules.ts';
import type { PostFinding } from '../../../schema/platforms/definition.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import type { Path } from '../../../schema/wire/names.ts';
import type { NamedMedia } from './media.ts';
import { optionsOf } from './network-rules.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';
import { error, warning, type TargetIssue } from './target-issues.ts';

export function checkWholePost(
  network: PlatformEntry,
  target: RequestTarget,
  input: Pick<TargetInput, 'caption'>,
  named: NamedMedia,
  media: readonly MediaFacts[],
): TargetIssue[] {
  const { own, at } = target;
  const findings = network.rules.check?.({
    caption: own.caption ?? input.caption,
    media,
    options: optionsOf(network, target),
    firstComment: own.first_comment ?? null,
    isReply: own.in_reply_to !== undefined,
    isLaterPart: (own.thread_position ?? 0) > 0,
  });
  const paths: Record<PostFinding['at'], Path> = {
    caption: own.caption === undefined ? ['caption'] : [...at, 'caption'],
    media: named.path,
    first_comment: [...at, 'first_comment'],
    in_reply_to: [...at, 'in_reply_to'],
    options: [...at, 'platform_options'],
  };
  return (findings ?? []).map(({ at: place, option, isWarning, ...finding }) => {
    const issue = { path: [...paths[place], ...(option ? [option] : [])], ...finding };
    return isWarning ? warning(issue, target) : error(issue, target);
  });
}
