// The media of a request and of its targets, checked against the rules of their networks.
import {
  checkMedia,
  mediaRulesOf,
  type MediaFacts,
} from '../../../activities/platforms/media-rules.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import { findLinkThumb } from '../../../schema/platforms/options/link-thumb.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import type { Context } from '../../http/context.ts';
import { requireStorage } from '../../media/limits.ts';
import {
  checkIds,
  findNamedMedia,
  readMedia,
  readOneMedia,
  type FoundMedia,
  type NamedMedia,
} from './media.ts';
import { optionsOf } from './network-rules.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';
import { error, warning, type TargetIssue } from './target-issues.ts';

/** The media of a request, and the issues that they have on any network. */
export interface RequestMedia {
  ofPost: NamedMedia;
  /** Only of targets that name media. */
  ofTarget: ReadonlyMap<RequestTarget, NamedMedia>;
  found: FoundMedia;
  issues: TargetIssue[];
}

const noMedia: NamedMedia = { items: [], path: ['media'], pathOf: () => ['media'], issues: [] };

/** Throws if the request names media and this installation stores none. */
export async function readAllMedia(
  context: Context,
  scope: RowScope,
  input: TargetInput,
  named: RequestTarget[],
): Promise<RequestMedia> {
  const ofPost = readMedia(input, []) ?? noMedia;
  const ofTarget = new Map<RequestTarget, NamedMedia>();
  for (const target of named) {
    const given = target.at.length > 0 ? readMedia(target.own, target.at) : undefined;
    const own = readThumb(target, given ?? ofPost) ?? given;
    if (own) ofTarget.set(target, own);
  }
  const lists = [ofPost, ...ofTarget.values()];
  if (lists.some(({ items }) => items.length > 0)) requireStorage(context);
  const found = await findNamedMedia(context.db, scope, lists);
  const issuesOf = (media: NamedMedia) => [...media.issues, ...checkIds(media, found)];
  const issues = [
    ...issuesOf(ofPost).map((issue) => error(issue)),
    ...[...ofTarget].flatMap(([target, media]) =>
      issuesOf(media).map((issue) => error(issue, target)),
    ),
  ];
  return { ofPost, ofTarget, found, issues };
}

/** The picture of the target's link card. It is the only media of its target. */
function readThumb({ own, at }: RequestTarget, others: NamedMedia): NamedMedia | undefined {
  const thumb = findLinkThumb(own.platform_options);
  if (!thumb) return undefined;
  const named = readOneMedia(thumb, [...at, 'platform_options', 'link', 'thumb']);
  if (others.items.length === 0) return named;
  const message: Text = ({ field }) =>
    `A link card with ${field('thumb')} has no other media. Set ${field('media: []')} for this target.`;
  const issue: Issue = { path: named.path, code: 'not_with_media', message };
  return { ...named, issues: [...named.issues, issue] };
}

export function checkTargetMedia(
  network: PlatformEntry,
  target: RequestTarget,
  { auto_fit: autoFit = true }: TargetInput,
  { path, pathOf }: NamedMedia,
  facts: readonly MediaFacts[],
): TargetIssue[] {
  const given = optionsOf(network, target);
  const { title, rules } = mediaRulesOf(network, given);
  const options = { path: [...target.at, 'platform_options'], given };
  const place = { path, pathOf, autoFit, options };
  const { errors, warnings } = checkMedia(title, rules, facts, place);
  return [
    ...errors.map((issue) => error(issue, target)),
    ...warnings.map((issue) => warning(issue, target)),
  ];
}
