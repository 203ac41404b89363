// The report of a check in Markdown. It has no secrets, and only two facts about the account: its ID in
// Fanfare and the URL of a post.
import type { AccountCheck, AccountCheckStep } from '../../../schema/account-checks.ts';
import { platformDefinitions } from '../../../schema/platforms/index.ts';
import { version } from '../../../schema/version.ts';

export function toReport(check: AccountCheck): string {
  const { id, platform, social_account_id, status, publishes, created_at, ended_at } = check;
  const title = platformDefinitions.find(({ name }) => name === platform)?.title ?? platform;
  return [
    `# Check of ${title}, ${created_at.slice(0, 10)}`,
    '',
    `- Result: ${status}`,
    `- Publishes a post: ${publishes ? 'yes' : 'no'}`,
    `- Check: ${id}`,
    `- Account: ${social_account_id}`,
    `- Time: ${created_at} to ${ended_at}`,
    `- Fanfare: ${version}`,
    '',
    '| Step | Result | Code | Message |',
    '| ---- | ------ | ---- | ------- |',
    ...check.steps.map(toRow),
    '',
  ].join('\n');
}

/**
 * Removes control characters, because messages repeat the words of servers, which could control a terminal.
 */
export const toLine = (message: string): string => message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

function toRow({ name, status, code, message }: AccountCheckStep): string {
  const words = toLine(message ?? '').replaceAll(/[\\|<`[]/g, String.raw`\$&`);
  return `| ${name} | ${status} | ${code ?? ''} | ${words} |`;
}
