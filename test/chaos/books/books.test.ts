// The books themselves: sound facts balance, and each kind of loss or double shows as a difference.
import { describe, expect, test } from 'vitest';
import { balance, findLatestMs } from './books.ts';
import type { Facts } from './records.ts';
import { isBalanced, mostLate } from './report.ts';

const body = '{"event":"post.partial"}';
const taken = {
  deliveryId: 'dlv_1',
  body,
  isSigned: true,
  timestamp: '1',
  statusCode: 204,
  at: new Date(1_000),
};

/** One post with two targets, one published and one refused; its event went to one webhook. */
function soundFacts(): Facts {
  return {
    accepted: [
      {
        name: 'a',
        id: 'post_1',
        isExcused: false,
        wasRestored: false,
        ends: ['published', 'failed'],
        wasCanceled: false,
        retries: 0,
        hasClient: false,
        notBefore: new Date(1_000),
        isPrompt: [true, false],
      },
    ],
    stored: [
      {
        id: 'post_1',
        status: 'partial',
        results: [
          { id: 'res_1', status: 'published', errorCode: null, externalId: 'x1' },
          { id: 'res_2', status: 'failed', errorCode: 'rejected', externalId: null },
        ],
      },
    ],
    published: [{ id: 'x1', reference: 'res_1', createdAt: new Date(1_000) }],
    events: [{ id: 'evt_1', projectId: 'prj_1', kind: 'post.partial', postId: 'post_1', body }],
    webhooks: [
      { id: 'wh_1', projectId: 'prj_1' },
      { id: 'wh_2', projectId: 'prj_2' },
    ],
    deliveries: [{ id: 'dlv_1', eventId: 'evt_1', webhookId: 'wh_1', status: 'delivered' }],
    receipts: [{ ...taken }],
    attempts: [],
    open: new Map(),
    streams: [
      { name: 'posts', received: ['a 1', 'b 1'], recorded: ['a 1', 'b 1'], isMoving: false },
    ],
    lostWindows: [],
    losses: [],
    flightMs: 5_000,
  };
}

const differencesOf = (facts: Facts) => balance(facts).flatMap(({ differences }) => differences);

/** The differences once something about sound facts is changed. */
function differencesAfter(change: (facts: Facts) => void): string[] {
  const facts = soundFacts();
  change(facts);
  return differencesOf(facts);
}

test('sound facts have no difference', () => {
  expect(differencesOf(soundFacts())).toEqual([]);
});

describe('a difference shows', () => {
  const refused = { ...taken, statusCode: 503 };
  const changes: [what: string, difference: RegExp, change: (facts: Facts) => void][] = [
    ['a post that is gone', /accepted and is gone/, (f) => (f.stored = [])],
    [
      'a post that is lost',
      /lost: a \(post_1\), pending \[publishing, failed\]: nothing is under way/,
      ({ stored: [post] }) => {
        post!.status = 'pending';
        post!.results[0]!.status = 'publishing';
      },
    ],
    [
      'a post whose status its targets deny',
      /says published of \[published, failed\]/,
      (f) => (f.stored[0]!.status = 'published'),
    ],
    [
      'a target that fails where its network took it',
      /target 0 \(res_1\): failed unavailable/,
      ({ stored: [post] }) =>
        Object.assign(post!.results[0]!, { status: 'failed', errorCode: 'unavailable' }),
    ],
    [
      'a doubled post',
      /res_1 is public 2 times/,
      (f) => f.published.push({ ...f.published[0]!, id: 'x2' }),
    ],
    [
      'a doubled post of a request that the copy lost',
      /res_9 is public 2 times/,
      (f) =>
        f.published.push(
          { id: 'x8', reference: 'res_9', createdAt: new Date() },
          { id: 'x9', reference: 'res_9', createdAt: new Date() },
        ),
    ],
    ['a published target that is not public', /is not public/, (f) => (f.published = [])],
    [
      'a failed target that is public',
      /res_2 says failed and is public/,
      (f) => f.published.push({ id: 'x2', reference: 'res_2', createdAt: new Date(2_000) }),
    ],
    [
      'a post that is public early',
      /res_1 was public 1 ms early/,
      (f) => (f.published[0]!.createdAt = new Date(999)),
    ],
    ['an end without an event', /is partial after 0 retries: \[\]/, (f) => (f.events = [])],
    [
      'an end with two events',
      /\[post.partial, post.partial\]/,
      (f) => f.events.push(f.events[0]!),
    ],
    [
      'an event that went to another project',
      /event evt_1 went to wh_2 of another project/,
      (f) => f.deliveries.push({ ...f.deliveries[0]!, id: 'dlv_2', webhookId: 'wh_2' }),
    ],
    ['an event without a delivery', /there is no delivery/, (f) => (f.deliveries = [])],
    [
      'a delivery that is lost',
      /lost: .* dlv_1: has not ended: nothing is under way/,
      (f) => (f.deliveries[0]!.status = 'retrying'),
    ],
    [
      'a delivery that its receiver did not take',
      /did not take it/,
      (f) => (f.receipts = [refused]),
    ],
    [
      'a delivery that fails before its last attempt',
      /says failed after 3 requests/,
      (f) => {
        f.deliveries[0]!.status = 'failed';
        f.receipts = [refused, refused, refused];
      },
    ],
    ['a wrong signature', /a signature is wrong/, (f) => (f.receipts[0]!.isSigned = false)],
    ['another body', /not the recorded one/, (f) => (f.receipts[0]!.body = '{}')],
    ['a gap in a stream', /received b 1 where a 1/, (f) => f.streams[0]!.received.shift()],
    [
      'a change received twice',
      /received a 1 where b 1/,
      (f) => f.streams[0]!.received.unshift('a 1'),
    ],
    ['a stream that ends early', /received nothing where b 1/, (f) => f.streams[0]!.received.pop()],
    ['a change that is not recorded', /not recorded/, (f) => f.streams[0]!.received.push('c 1')],
  ];
  test.each(changes)('%s', (_, difference, change) => {
    expect(differencesAfter(change)).toContainEqual(expect.stringMatching(difference));
  });
});

describe('no difference', () => {
  test('if a restored copy does not know a post', () => {
    const lose = (facts: Facts) => {
      facts.accepted[0]!.isExcused = true;
      const lostWindows = [{ from: new Date(0), to: new Date(2_000) }];
      Object.assign(facts, { stored: [], events: [], deliveries: [], lostWindows });
    };
    expect(differencesAfter(lose)).toEqual([]);
  });

  test('if no check can show whether a target is public', () => {
    const hide = ({ accepted: [post], stored: [kept] }: Facts) => {
      post!.ends = ['uncertain', 'failed'];
      Object.assign(kept!.results[0]!, { status: 'failed', errorCode: 'outcome_unknown' });
      kept!.status = 'failed';
    };
    expect(differencesAfter(hide).filter((line) => !line.includes('[post.partial]'))).toEqual([]);
  });

  test('if a restored target that its network lacks is not sent', () => {
    const lose = (facts: Facts, isPublic: boolean) => {
      const [post] = facts.stored;
      facts.accepted[0]!.wasRestored = true;
      Object.assign(post!.results[0]!, { status: 'failed', errorCode: 'outcome_unknown' });
      post!.status = 'failed';
      if (!isPublic) facts.published = [];
    };
    const outcomesAfter = (isPublic: boolean) =>
      differencesAfter((facts) => lose(facts, isPublic)).filter((line) => line.includes('target'));
    expect(outcomesAfter(false)).toEqual([]);
    expect(outcomesAfter(true)).toEqual([expect.stringContaining('failed outcome_unknown')]);
  });

  test('if a receiver refused an event four times', () => {
    const refuse = (facts: Facts) => {
      facts.deliveries[0]!.status = 'failed';
      facts.receipts = Array.from({ length: 4 }, () => ({ ...taken, statusCode: null }));
    };
    expect(differencesAfter(refuse)).toEqual([]);
  });

  const attempt = {
    deliveryId: 'dlv_1',
    timestamp: '1',
    statusCode: null as number | null,
    startedAt: new Date(1_000),
    recordedAt: new Date(2_000),
  };

  test('if an attempt timed out before it reached its receiver', () => {
    const fail = (statusCodes: (number | null)[]) => (facts: Facts) => {
      facts.deliveries[0]!.status = 'failed';
      facts.receipts = [503, 503, 503].map((statusCode) => ({ ...taken, statusCode }));
      facts.attempts = statusCodes.map((statusCode) => ({ ...attempt, statusCode }));
    };
    expect(differencesAfter(fail([503, null, 503, 503]))).toEqual([]);
    const answered = differencesAfter(fail([503, 503, 503, 503]));
    expect(answered).toEqual([
      expect.stringMatching(/says failed after 3 requests and 4 attempts/),
    ]);
  });
});

test('the latest scheduled target is found', () => {
  const facts = soundFacts();
  facts.published[0]!.createdAt = new Date(3_500);
  expect(findLatestMs(facts)).toBe(2_500);
});

describe('something that happened once too often', () => {
  const around = { from: new Date(900), to: new Date(1_100) };
  const orphan = { id: 'x9', reference: 'res_9', createdAt: new Date(1_000) };

  test('a public post without a result shows, unless a restored copy lacks it', () => {
    const unknown = (f: Facts) => void f.published.push(orphan);
    expect(differencesAfter(unknown)).toEqual(['post x9 is public, and no result is res_9']);
    const excused = (f: Facts) => {
      unknown(f);
      f.lostWindows = [around];
    };
    expect(differencesAfter(excused)).toEqual([]);
  });

  test('a delivery that is accepted twice shows, unless a fault occurred during the first request', () => {
    const twice = (f: Facts) => void f.receipts.push({ ...taken, at: new Date(5_000) });
    expect(differencesAfter(twice)).toEqual([
      expect.stringMatching(/^delivery dlv_1 was taken again after 4\.0 s, and no fault caught it/),
    ]);
    const excused = (f: Facts) => {
      twice(f);
      f.losses = [{ name: 'kill-worker', ...around }];
    };
    expect(differencesAfter(excused)).toEqual([]);
  });
});

describe('late work is no difference', () => {
  const late = { isLost: false, why: 'it is due in 1.0 s' };
  const changes: [what: string, line: RegExp, change: (facts: Facts) => void][] = [
    [
      'a post',
      /^a \(post_1\), pending \[published, failed\]: it is due in 1\.0 s$/,
      (f) => {
        f.stored[0]!.status = 'pending';
        f.events = [];
        f.open = new Map([['post_1', late]]);
      },
    ],
    [
      'a draft that its client has yet to publish',
      /^a \(post_1\), draft \[published, failed\]: its client still follows it$/,
      (f) => {
        f.accepted[0]!.hasClient = true;
        f.stored[0]!.status = 'draft';
        f.events = [];
      },
    ],
    [
      'a target that its client has yet to retry',
      /^a, target 0 \(res_1\): failed unavailable, .*, and its client has not retried it yet$/,
      (f) => {
        f.accepted[0]!.hasClient = true;
        f.stored[0]!.status = 'failed';
        const failed = { status: 'failed', errorCode: 'unavailable', externalId: null };
        Object.assign(f.stored[0]!.results[0]!, failed);
        f.published = [];
        f.events[0]!.kind = 'post.failed';
      },
    ],
    [
      'a delivery',
      /dlv_1: has not ended: it is due in 1\.0 s$/,
      (f) => {
        f.deliveries[0]!.status = 'retrying';
        f.open = new Map([['dlv_1', late]]);
      },
    ],
    [
      'a stream that still receives',
      /^received nothing where b 1/,
      ({ streams: [stream] }) => {
        stream!.received.pop();
        stream!.isMoving = true;
      },
    ],
  ];
  test.each(changes)('%s', (_, line, change) => {
    const facts = soundFacts();
    change(facts);
    expect(differencesOf(facts)).toEqual([]);
    const lines = balance(facts).flatMap((book) => book.late ?? []);
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test('unless too much of a book is late', () => {
    const book = { name: 'posts', entries: 10 / mostLate, differences: [] };
    const lines = (count: number) => Array.from({ length: count }, () => 'late');
    expect(isBalanced({ ...book, late: lines(10) })).toBe(true);
    expect(isBalanced({ ...book, late: lines(11) })).toBe(false);
    expect(isBalanced({ ...book, differences: ['lost'] })).toBe(false);
  });
});
