// Plants deliveries that were taken twice: each must be explained by what was in flight, or show.
import { describe, expect, test } from 'vitest';
import type { DeliveryFacts } from './records.ts';
import { explainRepeats } from './repeats.ts';

const second = (s: number) => new Date(1_000_000 + s * 1_000);

type Taken = { at: number; recorded?: number; answer?: 'lost' | 'refused' };

/** What receivers and Postgres know of one delivery, with times in seconds. */
function factsOf(deliveryId: string, requests: Taken[]): DeliveryFacts {
  const stamp = (at: number) => String(Math.floor(second(at).getTime() / 1_000));
  return {
    receipts: requests.map(({ at, answer }) => ({
      deliveryId,
      timestamp: stamp(at),
      statusCode: answer === 'refused' ? 500 : 204,
      at: second(at),
    })),
    attempts: requests.flatMap(({ at, recorded, answer }) => {
      if (recorded === undefined) return [];
      const statusCode = { lost: null, refused: 500, taken: 204 }[answer ?? 'taken'];
      const [startedAt, recordedAt] = [second(at), second(recorded)];
      return [{ deliveryId, timestamp: stamp(at), statusCode, startedAt, recordedAt }];
    }),
    losses: [],
    flightMs: 5_000,
  };
}

const kill = { name: 'kill-worker', from: second(10), to: second(10.1) };
const stall = { name: 'stall-worker', from: second(10), to: second(18) };

const explained: [what: string, requests: Taken[], losses: DeliveryFacts['losses']][] = [
  ['a request in flight at a kill', [{ at: 9.9 }, { at: 20, recorded: 20.1 }], [kill]],
  ['a request that is read after the kill', [{ at: 10.3 }, { at: 20, recorded: 20.1 }], [kill]],
  [
    'a request of a stalled worker, recorded after the repeat was sent',
    [
      { at: 9.9, recorded: 18.1 },
      { at: 16, recorded: 16.1 },
    ],
    [stall],
  ],
  [
    'an answer that the sender did not get',
    [
      { at: 1, recorded: 2.6, answer: 'lost' },
      { at: 3.1, recorded: 3.2 },
    ],
    [],
  ],
  [
    'a worker that stood still for longer than its heartbeat may be missing',
    [
      { at: 30, recorded: 43 },
      { at: 41, recorded: 41.1 },
    ],
    [],
  ],
];

test.each(explained)('%s explains a repeat', (_, requests, losses) => {
  const found = explainRepeats({ ...factsOf('dlv_1', requests), losses });
  expect(found.differences).toEqual([]);
  expect(found.repeats).toBe(1);
});

describe('a difference shows', () => {
  const planted: [
    what: string,
    difference: RegExp,
    requests: Taken[],
    losses: DeliveryFacts['losses'],
  ][] = [
    [
      'a repeat without a fault',
      /dlv_1 was taken again after 2\.0 s, .* no fault/,
      [{ at: 1 }, { at: 3, recorded: 3.1 }],
      [],
    ],
    [
      'a repeat during a fault, of what was recorded as taken before',
      /dlv_1 was taken again 1\.9 s after it was recorded as taken/,
      [
        { at: 9.5, recorded: 9.6 },
        { at: 11.5, recorded: 11.6 },
      ],
      [stall],
    ],
    [
      'a repeat of a request long before the kill',
      /no fault/,
      [{ at: 1 }, { at: 20, recorded: 20.1 }],
      [kill],
    ],
    [
      'a repeat of a request after the kill',
      /no fault/,
      [{ at: 12 }, { at: 20, recorded: 20.1 }],
      [kill],
    ],
    [
      'two workers at once',
      /no fault/,
      [
        { at: 1, recorded: 1.4 },
        { at: 1.1, recorded: 1.3 },
      ],
      [],
    ],
    [
      'a third time, though the first was recorded',
      /recorded as taken/,
      [{ at: 9, recorded: 15 }, { at: 14 }, { at: 17, recorded: 17.1 }],
      [stall],
    ],
    [
      'a repeat whose refused request before it has no part in it',
      /no fault/,
      [{ at: 1 }, { at: 1.6, recorded: 1.7, answer: 'refused' }, { at: 3, recorded: 3.1 }],
      [],
    ],
  ];
  test.each(planted)('%s', (_, difference, requests, losses) => {
    const { differences } = explainRepeats({ ...factsOf('dlv_1', requests), losses });
    expect(differences).toEqual([expect.stringMatching(difference)]);
  });
});

test('a machine that became slower takes longer to record, so a later fault explains a repeat', () => {
  const early = [{ at: 1 }, { at: 20, recorded: 20.1 }];
  const slow = [{ at: 30, recorded: 40 }];
  const all = [factsOf('dlv_1', early), factsOf('dlv_2', slow)];
  const found = explainRepeats({
    receipts: all.flatMap(({ receipts }) => receipts),
    attempts: all.flatMap(({ attempts }) => attempts),
    losses: [kill],
    flightMs: 5_000,
  });
  expect(found.differences).toEqual([]);
});

test('a difference names each request, and how it was recorded', () => {
  const facts = factsOf('dlv_1', [{ at: 1 }, { at: 3, recorded: 3.1 }]);
  const [first, next] = [1, 3].map((s) => second(s).toISOString());
  expect(explainRepeats(facts).differences).toEqual([
    expect.stringContaining(
      `: sent ${first}, read ${first}, never recorded; ` +
        `sent ${next}, read ${next}, recorded ${second(3.1).toISOString()} as 204`,
    ),
  ]);
});

test('a fault explains at most as many repeats as it had deliveries in flight', () => {
  const all = [
    factsOf('dlv_1', [{ at: 9.9 }, { at: 20, recorded: 20.1 }]),
    factsOf('dlv_2', [{ at: 9.9, recorded: 10.2 }]),
    factsOf('dlv_3', [{ at: 12, recorded: 12.1 }]),
    // Its first request explains the second one. Nothing explains the third.
    factsOf('dlv_4', [{ at: 9.8 }, { at: 20 }, { at: 30, recorded: 30.1 }]),
  ];
  const found = explainRepeats({
    receipts: all.flatMap(({ receipts }) => receipts),
    attempts: all.flatMap(({ attempts }) => attempts),
    losses: [kill],
    flightMs: 5_000,
  });
  expect(found.faults).toEqual([{ name: 'kill-worker', inFlight: 3, repeats: 2 }]);
  expect(found.differences).toEqual([expect.stringMatching(/dlv_4 .* no fault/)]);
});
