// The errors of Threads: their forms, what they mean, and the tables of them on its page.
import { describe, expect, test } from 'vitest';
import { findMetaError } from '../../../../activities/platforms/meta/errors.ts';
import { readGraphError } from '../../../../activities/platforms/meta/graph.ts';
import { threadsErrors, threadsFailures } from '../../../../activities/platforms/threads/errors.ts';
import { readErrorRows, toErrorRow, toFailureRow } from '../../../support/checks/meta-errors.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

test('docs/networks/threads.md lists exactly the known errors and failures, with the same sentences', () => {
  const rows = [...threadsErrors.map(toErrorRow), ...threadsFailures.map(toFailureRow)];
  expect(readErrorRows('docs/networks/threads.md')).toEqual(rows);
});

describe('the form of an error', () => {
  test.each([
    [
      'if it is that of the Graph API',
      {
        error: {
          message: 'The requested resource does not exist',
          type: 'OAuthException',
          code: 24,
          error_subcode: 4279009,
          is_transient: false,
          error_user_title: 'Media Not Found',
          error_user_msg: 'The media cannot be found.',
          fbtrace_id: 'A1',
        },
      },
      { code: 24, subcode: 4279009, message: 'Media Not Found: The media cannot be found.' },
    ],
    [
      "if it is that of Threads' API",
      { error: { message: 'No.', type: 'THApiException', code: 100, fbtrace_id: 'A1' } },
      { code: 100, subcode: undefined, message: 'No.' },
    ],
    [
      'if it is that of the token endpoint',
      { error_type: 'OAuthException', code: 400, error_message: 'Matching code was not found' },
      { code: 400, message: 'Matching code was not found' },
    ],
    [
      'if its code is a name',
      { error: { message: 'No.', code: 'THREADS_API__LINK_LIMIT_EXCEEDED' } },
      { code: undefined, message: 'THREADS_API__LINK_LIMIT_EXCEEDED: No.' },
    ],
    ['if its code is a number as text', { error: { message: 'No.', code: '190' } }, { code: 190 }],
  ])('is read %s', (_, body, error) => {
    expect(readGraphError(body)).toMatchObject(error);
  });

  test.each([undefined, '<html>', {}, { error: 'No.' }, { status: 'ERROR', id: '1' }])(
    'is not found in %o',
    (body) => {
      expect(readGraphError(body)).toBeUndefined();
    },
  );
});

describe('an error', () => {
  const find = (code: number, subcode?: number, message = '') =>
    findMetaError(threadsErrors, { code, subcode, message });

  test('is classified by its subcode first', () => {
    expect(find(4, 2207051)?.meaning).toBe('rejected');
    expect(find(4)).toMatchObject({ meaning: 'rate_limited', throttled: 'app' });
    expect(find(190, 463)?.meaning).toBe('reauthorize');
    expect(find(190, undefined, 'Session has expired')?.meaning).toBe('reauthorize');
    expect(find(190)?.meaning).toBe('revoked');
    expect(find(4_242)).toBeUndefined();
  });

  test.each([
    ['in a 200', 200, { code: 24, error_subcode: 4279009 }, 'unavailable'],
    ['of the caller in a 500', 500, { code: 100, message: 'Param text is too long.' }, 'rejected'],
    ['without a known code in a 500', 500, { code: 4_242 }, 'unavailable'],
    ['that passes', 400, { code: 4_242, is_transient: true }, 'unavailable'],
    ['without a known code', 400, { code: 4_242 }, 'rejected'],
    ['of a lacking permission', 500, { code: 10 }, 'rejected'],
    ['of a lost login in a 500', 500, { code: 190 }, 'reauthorize'],
  ])('decides the outcome of a new container: an error %s', async (_, status, error, kind) => {
    await using network = await startThreads();
    network.server.answers.push(Response.json({ error }, { status }));
    expect((await refusal(network.prepareStep(network.target()))).kind).toBe(kind);
  });

  test.each([
    ['of the caller in a 500', 500, { code: 100, message: 'No.' }, 'unknown_outcome'],
    ['of a lacking permission', 400, { code: 10 }, 'unknown_outcome'],
    ['that passes', 400, { code: 2, is_transient: true }, 'unknown_outcome'],
    ['in a 200', 200, { code: 4_242 }, 'unknown_outcome'],
    ['without a known code', 400, { code: 4_242 }, 'rejected'],
    ['of spam', 403, { code: 4, error_subcode: 2207051 }, 'rejected'],
    ['of a limit', 400, { code: 613, error_subcode: 4279002 }, 'rate_limited'],
    ['of a lost login in a 500', 500, { code: 190 }, 'reauthorize'],
  ])('decides the outcome of a publish: an error %s', async (_, status, error, kind) => {
    await using network = await startThreads();
    const target = await network.prepare(network.target());
    network.server.answers.push(Response.json({ error }, { status }));
    expect((await refusal(network.commit(target))).kind).toBe(kind);
    expect(network.server.posts).toEqual([]);
  });

  test("has Threads' words, our sentence and the trace ID for Threads' support", async () => {
    await using network = await startThreads();
    const text = Array.from({ length: 6 }, (_, i) => `https://example.com/${i}`).join(' ');
    const error = await refusal(network.prepare(network.target({ caption: text })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'Threads refused the request: THREADS_API__LINK_LIMIT_EXCEEDED: The post has too many links. The post has more than 5 different links.',
      options: { providerError: { trace_id: 'AmFGcW_3hwDB7qFbl_QdebZ' } },
    });
  });
});
