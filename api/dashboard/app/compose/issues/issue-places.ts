// Where the form of a post shows what the API says about its input.
import { pathMembers } from '../../components/issue-text.ts';
import type { PostInput } from '../compose-documents.ts';

/**
 * The place in the form of a path in the input. Each account has one place for its target, or for the first part of its
 * thread. The later parts are the same for all accounts: `parts` has their keys.
 */
export function placeOf(input: PostInput, path: string, parts: readonly string[]): string {
  const [list, index, ...members] = pathMembers(path);
  if (list !== 'platformPosts') return pathMembers(path).join('.');
  const target = input.platformPosts?.[Number(index)];
  if (!target) return 'accounts';
  const position = target.threadPosition ?? 1;
  const place = position > 1 ? ['parts', parts[position - 2]!] : ['accounts', target.accountId];
  return [...place, ...placeInTarget(members)].join('.');
}

function placeInTarget([member, ...others]: string[]): string[] {
  if (member === undefined || member === 'accountId') return [];
  // The first one names the network.
  return member === 'platformOptions' ? ['options', ...others.slice(1)] : [member, ...others];
}
