// Recorded histories, replayed. A post may wait for a year, and the code must still continue its workflow.
import { readdirSync, readFileSync } from 'node:fs';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import { installQuietRuntime } from '../support/servers/quiet-runtime.ts';

const folder = new URL('histories/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

function readHistory(name: string) {
  const { workflowId, history } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  return {
    workflowId: String(workflowId),
    history: temporal.api.history.v1.History.fromObject(history),
  };
}

let bundle: { codePath: string };

beforeAll(async () => {
  installQuietRuntime();
  bundle = await workflowBundle(inject('cacheDirectory'));
});

describe('stored histories', () => {
  test('exist for each workflow', () => {
    for (const workflow of [
      'publish-post',
      'publish-posts',
      'deliver-events',
      'retry-delivery',
      'prune-records',
      'refresh-logins',
      'replay-deliveries',
      'fetch-media',
      'check-account',
      'change-result',
    ]) {
      expect(names).toContain(`${workflow}.json`);
    }
  });

  test.each(names)('%s replays', async (name) => {
    const { workflowId, history } = readHistory(name);
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId);
  });

  test('fail to replay if the code contradicts them', async () => {
    const { history } = readHistory('publish-post.json');
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'another';
    await expect(Worker.runReplayHistory({ workflowBundle: bundle }, history)).rejects.toThrow();
  });
});
