// What a release checks before it is built, and the workflow that publishes it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readSection } from '../../scripts/release/changelog.ts';
import { checkVersions } from '../../scripts/release/prepare.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the notes', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A\n\n## [0.1.0]\n\n- B\n';

  test('are the section of the version alone', () => {
    expect(readSection(changelog, '0.2.0')).toBe('### Added\n\n- A');
    expect(readSection(changelog, '0.1.0')).toBe('- B');
  });

  test.each(['0.3.0', 'Unreleased', '0.2'])('of %s are refused, as there are none', (name) => {
    expect(() => readSection(changelog, name)).toThrow(`no section [${name}] with a text`);
  });
});

describe('the version', () => {
  const { version } = packageJson;

  test('is the same in the tag, the package, the chart, the clients and the pages', () => {
    checkVersions(version, { tag: `v${version}`, read });
    checkVersions(version, { tag: undefined, read });
  });

  test('is refused in a tag that differs', () => {
    expect(() => checkVersions(version, { tag: 'v0.0.1', read })).toThrow(
      `The tag is v0.0.1, but package.json has the version ${version}.`,
    );
  });

  test.each([
    ['charts/fanfare/Chart.yaml', 'version: '],
    ['charts/fanfare/Chart.yaml', 'appVersion: '],
    ['clients/typescript/package.json', '"version": "'],
    ['clients/python/src/fanfare_client/_version.py', 'VERSION = "'],
    ['docs/installing.md', 'fanfare-publishing-fanfare-'],
    ['docs/sdks.md', 'fanfare-publishing-client-'],
  ])('is refused in %s where it differs after %s', (path, before) => {
    const readOld = (name: string) =>
      name === path ? read(name).replace(before + version, `${before}0.0.1`) : read(name);
    expect(() => checkVersions(version, { tag: undefined, read: readOld })).toThrow(
      `${path} has the version 0.0.1, but package.json has ${version}.`,
    );
  });
});

interface Job {
  needs?: string;
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

describe('.github/workflows/release.yml', () => {
  const text = read('.github/workflows/release.yml');
  const workflow = parse(text) as { on: object; permissions: object; jobs: Record<string, Job> };
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('runs only for tags of versions, and publishes only after all checks', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(workflow.jobs['checks']!.steps.map(({ run }) => run)).toEqual(
      expect.arrayContaining(['.ci/run', 'npm run test:clients']),
    );
    expect(workflow.jobs['image']!.needs).toBe('checks');
    expect(workflow.jobs['publish']!.needs).toBe('image');
  });

  test('pins each action to a commit, and keeps no credentials in the checkout', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
    expect(used).not.toEqual([]);
    for (const action of used)
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { uses, with: given } of steps) {
      if (uses?.startsWith('actions/checkout@'))
        expect(given).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('gives each job the rights that it needs, and no others', () => {
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs['checks']!.permissions).toEqual({ contents: 'read' });
    expect(workflow.jobs['image']!.permissions).toEqual({ contents: 'read', packages: 'write' });
    expect(workflow.jobs['publish']!.permissions).toEqual({
      contents: 'write',
      packages: 'write',
      'id-token': 'write',
    });
  });

  test('runs scripts that exist, and puts no expression into a script', () => {
    const scripts = steps.flatMap(({ run }) => run ?? []);
    for (const [, name] of scripts.join('\n').matchAll(/npm run ([\w:-]+)/g)) {
      expect(packageJson.scripts).toHaveProperty(name!);
    }
    for (const script of scripts) expect(script).not.toContain('${{');
    expect(scripts.join('\n')).toContain('npm publish --provenance');
  });
});
