// TikTok's refusals and failures: what each means for a target, as its page says.
import { describe, expect, test } from 'vitest';
import {
  failureOf,
  tiktokErrors,
  tiktokFailures,
} from '../../../../activities/platforms/tiktok/errors.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { readPage } from '../../../support/checks/readme.ts';
import { createVideo } from '../../../support/media/target-media.ts';
import { startTikTok } from '../../../support/networks/tiktok/connected.ts';
import { forbidden, TikTokError } from '../../../support/networks/tiktok/refusals.ts';

describe('a refusal', () => {
  test.each([
    ['spam_risk_too_many_posts', 'rate_limited', { isOutOfQuota: true }],
    ['spam_risk_too_many_pending_share', 'rate_limited', { isOutOfQuota: true }],
    ['reached_active_user_cap', 'rate_limited', { isOutOfQuota: true }],
    ['spam_risk_user_banned_from_posting', 'rejected', { failsAs: 'account_restricted' }],
    ['spam_risk_text', 'rejected', { failsAs: 'content_blocked' }],
    ['privacy_level_option_mismatch', 'rejected', { failsAs: 'choice_gone' }],
    ['something_new', 'rejected', {}],
  ])('%s is %s', async (code, kind, options) => {
    await using started = await startTikTok();
    started.network.intercept = () => forbidden(code).toResponse();
    const error = await refusal(started.prepareStep(started.target({ media: [createVideo()] })));
    expect(error).toMatchObject({ kind, options: { platformCode: code, ...options } });
  });

  test('counts even if its status is 200', async () => {
    await using started = await startTikTok();
    started.network.intercept = () => new TikTokError(200, 'something_new', 'No.').toResponse();
    const error = await refusal(started.prepareStep(started.target({ media: [createVideo()] })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'something_new' } });
  });

  test('keeps the ID that the support of TikTok asks for', async () => {
    await using started = await startTikTok();
    started.network.intercept = () => forbidden('spam_risk').toResponse();
    const error = await refusal(started.prepareStep(started.target({ media: [createVideo()] })));
    expect(error.options.providerError).toMatchObject({ log_id: '20261127AABBCCDD' });
  });

  test('of an unaudited app says what to do', async () => {
    await using started = await startTikTok((network) => {
      network.isAudited = false;
    });
    const error = await refusal(started.prepareStep(started.target({ media: [createVideo()] })));
    expect(error.options.failsAs).toBe('app_not_approved');
    expect(error.message).toContain('asks TikTok for an audit');
  });
});

test.each(Object.keys(tiktokFailures))('the failure %s has a sentence', (reason) => {
  const { kind, message, options } = failureOf(reason);
  expect(kind).toBe('rejected');
  expect(message).toContain(tiktokFailures[reason]!.sentence);
  expect(options.platformCode).toBe(reason);
});

test('an unknown failure keeps its word', () => {
  expect(failureOf('something_new').message).toBe('TikTok did not publish the post: something_new');
});

test('the page lists every code and reason, with the sentence', () => {
  const page = readPage('docs/networks/tiktok.md').replaceAll(/ +/g, ' ');
  for (const [code, { sentence }] of Object.entries({ ...tiktokErrors, ...tiktokFailures })) {
    expect(page).toContain(`\`${code}\``);
    if (sentence) expect(page).toContain(sentence);
  }
});
