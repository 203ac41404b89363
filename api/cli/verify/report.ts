// The report of a check in Markdown. It has no secrets, and only two facts about the account: its ID in
// Fanfare and the URL of a post.
import type { Schemas } from '../../../clients/typescript/src/index.ts';
import { platformDefinitions } from '../../../schema/platforms/index.ts';
import { version } from '../../../schema/version.ts';
import { toPlain } from '../output/table.ts';

export function toReport(check: Schemas['AccountCheck']): string {
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

function toRow({ name, status, code, message }: Schemas['AccountCheckStep']): string {
  const words = toPlain(message ?? '').replaceAll(/[\\|<`[]/g, String.raw`\$&`);
  return `| ${name} | ${status} | ${code ?? ''} | ${words} |`;
}
