// What each refusal of YouTube means for a target.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { GoogleError } from '../../../support/networks/youtube/refusals.ts';
import { startYouTube } from '../../../support/networks/youtube/connected.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What the connector makes of this answer to the request for an upload. `date`: as YouTube's clock says. */
async function readRefusal(answer: Response, date?: string) {
  await using network = await startYouTube();
  if (date !== undefined) network.server.headers = { date: new Date(date).toUTCString() };
  network.server.nextAnswer = answer;
  const { kind, options } = await refusal(network.prepare(network.target()));
  return { kind, ...options };
}

describe('a refusal', () => {
  test.each([
    [400, 'invalidTitle', 'rejected', undefined],
    [400, 'invalidTags', 'rejected', undefined],
    [400, 'invalidCategoryId', 'rejected', undefined],
    [401, 'authError', 'reauthorize', undefined],
    [401, 'youtubeSignupRequired', 'rejected', 'account_restricted'],
    [403, 'forbidden', 'rejected', undefined],
    [403, 'insufficientPermissions', 'rejected', 'permission_missing'],
    [403, 'channelSuspended', 'rejected', 'account_restricted'],
    [403, 'accessNotConfigured', 'rejected', undefined],
    [500, 'internalError', 'unavailable', undefined],
    [503, 'backendError', 'unavailable', undefined],
  ])('%i %s is %s', async (status, reason, kind, failsAs) => {
    const answer = new GoogleError(status, reason, 'In words.').toResponse();
    const error = await readRefusal(answer);
    expect(error).toMatchObject({ kind, platformCode: reason });
    expect(error.providerError).toEqual({ status, code: reason, message: 'In words.' });
    expect(error.failsAs).toBe(failsAs);
  });

  test('in no form of Google is read by its status', async () => {
    const answer = new Response('<html>Bad gateway</html>', { status: 502 });
    expect(await readRefusal(answer)).toMatchObject({ kind: 'unavailable', platformCode: '502' });
  });
});

describe('a limit', () => {
  test.each([
    ['userRateLimitExceeded', 'grant'],
    ['rateLimitExceeded', 'app'],
  ])('%s lasts for a moment, for every account of its %s', async (reason, throttled) => {
    const answer = new GoogleError(403, reason, 'Too fast.', 'usageLimits').toResponse();
    const error = await readRefusal(answer);
    expect(error).toMatchObject({ kind: 'rate_limited', throttled });
    expect(error.isOutOfQuota).toBeUndefined();
  });

  test.each([
    ['quotaExceeded', 'You have exceeded your quota.'],
    ['dailyLimitExceeded', 'Daily Limit Exceeded.'],
    [
      'rateLimitExceeded',
      "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com'.",
    ],
  ])('of the project, %s, lasts until midnight in California', async (reason, words) => {
    const answer = new GoogleError(403, reason, words, 'youtube.quota').toResponse();
    const error = await readRefusal(answer, '2026-07-01T20:00:00Z');
    expect(error).toMatchObject({ kind: 'rate_limited', isOutOfQuota: true, throttled: 'app' });
    expect(error.retryAfterMs).toBe(11 * hourMs + minuteMs);
  });

  test.each([
    ['at 23:59', '2026-07-02T06:59:00Z', minuteMs],
    ['before the clocks go forward', '2026-03-08T08:00:00Z', 23 * hourMs],
    ['before the clocks go back', '2026-11-01T07:00:00Z', 25 * hourMs],
    ['after the clocks went back', '2026-11-01T10:00:00Z', 22 * hourMs],
  ])('of the project %s lasts until midnight', async (_, date, waitMs) => {
    const answer = new GoogleError(403, 'quotaExceeded', 'Used up.').toResponse();
    expect((await readRefusal(answer, date)).retryAfterMs).toBe(waitMs + minuteMs);
  });

  test('of the channel lasts for 24 hours, and holds no other channel', async () => {
    const words = 'The user has exceeded the number of videos they may upload.';
    const answer = new GoogleError(400, 'uploadLimitExceeded', words).toResponse();
    expect(await readRefusal(answer)).toMatchObject({
      kind: 'rate_limited',
      isOutOfQuota: true,
      throttled: 'account',
      retryAfterMs: 24 * hourMs,
    });
  });

  test('of the other calls holds no upload', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    const accepted = await network.commit(prepared);
    const state = 'state' in accepted ? accepted.state : {};
    network.server.nextAnswer = new GoogleError(403, 'quotaExceeded', 'Used up.').toResponse();
    const confirmed = network.youtube.confirm!({ ...prepared, state }, AbortSignal.timeout(5_000));
    const { options } = await refusal(confirmed);
    expect(options).toMatchObject({ isOutOfQuota: true, throttled: 'account' });
  });
});
