// docs/app-review.md has a section for each network that needs an app, with every scope of its logins.
import { describe, expect, test } from 'vitest';
import type { PlatformDefinition } from '../../schema/platforms/definition.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import { readPage } from '../support/checks/readme.ts';

const sections = readPage('docs/app-review.md')
  .split(/^## /m)
  .map((section) => ({ title: section.split('\n', 1)[0]!, text: section }));

/** What the network's consent pages ask for, and what a login must have. */
function listScopes({ settings, scopes = [] }: PlatformDefinition): string[] {
  const asked = Object.entries(settings)
    .filter(([name]) => /scopes$/i.test(name))
    .flatMap(([, setting]) => setting.parse(undefined) as string[]);
  return [...new Set([...scopes, ...asked])];
}

const withApp: readonly PlatformDefinition[] = platformDefinitions.filter(({ hasApp }) => hasApp);

describe.each(withApp)('the section on $title', (definition) => {
  const { text } = sections.find(({ title }) => title === definition.title) ?? { text: '' };

  test('names every scope', () => {
    const missing = listScopes(definition).filter((scope) => !text.includes(`\`${scope}\``));
    expect(missing, 'Add these to docs/app-review.md.').toEqual([]);
  });

  test('has the parts of the other sections, in the same order', () => {
    const parts = [...text.matchAll(/^### (.*)$/gm)].map(([, part]) => part);
    expect(parts).toEqual([
      'Scopes',
      'Before the review',
      'What reviewers ask for',
      'Recording',
      'Sources',
    ]);
  });
});
