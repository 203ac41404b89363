// The runtime of Temporal's SDK: its log lines are ours, and its metrics survive a restart of the worker.
import { NativeConnection } from '@temporalio/worker';
import { describe, expect, inject, test } from 'vitest';
import {
  createTemporalLogger,
  createTemporalRuntime,
} from '../../../api/server/temporal-runtime.ts';
import { createTestLog } from '../../support/log.ts';

describe('createTemporalRuntime', () => {
  test('installs a runtime again after the SDK has dropped it', async () => {
    const runtime = createTemporalRuntime(createTestLog().log);
    expect(await runtime.readMetrics()).toBe('');
    await runtime.install();
    // The SDK drops its runtime when its only connection fails.
    await expect(NativeConnection.connect({ address: '127.0.0.1:1' })).rejects.toThrow();
    expect(await runtime.readMetrics()).toBe('');
    await runtime.install();
    const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    await runtime.install();
    expect(await runtime.readMetrics()).toContain('# TYPE temporal_request_total counter');
    await connection.close();
  });
});

describe('createTemporalLogger', () => {
  function linesOf(...[message, fields]: [message: string, fields?: Record<string, unknown>]) {
    const { log, lines } = createTestLog('debug');
    createTemporalLogger(log).warn(message, fields);
    return lines;
  }

  test('writes the message of an error, and no other field that may hold data', () => {
    const error = Object.assign(new Error('x'.repeat(2_000)), { detail: 'a row' });
    const lines = linesOf('Poll failed', {
      target: 'core',
      workflowId: 'w',
      error,
      payload: 'a row',
    });
    expect(lines).toMatchObject([
      { level: 40, component: 'temporal', msg: 'Poll failed', target: 'core', workflow_id: 'w' },
    ]);
    expect(lines[0]!['error']).toHaveLength(1_000);
    expect(JSON.stringify(lines)).not.toContain('a row');
  });

  test('leaves out failed activities, because Fanfare logs them itself', () => {
    expect(linesOf('Activity failed', { error: new Error('x') })).toEqual([]);
  });

  test('leaves out lines below the level of a warning', () => {
    const { log, lines } = createTestLog('debug');
    createTemporalLogger(log).info('Worker state changed');
    expect(lines).toEqual([]);
  });
});
