// How many posts a worker advances at a time, and when it takes no more.
import { describe, expect, test } from 'vitest';
import { createAdmission, type Admission } from '../../../activities/publishing/admission.ts';

/** Posts of the project that hold their places until they are told to leave. */
function enterMany(admission: Admission, projectId: string, count: number) {
  const stop = new AbortController();
  const { promise: leave, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const ends = Array.from({ length: count }, () =>
    admission.run(
      projectId,
      () => {
        begun++;
        return leave;
      },
      stop.signal,
    ),
  );
  const end = () => {
    resolve();
    return Promise.all(ends);
  };
  return { begun: () => begun, end, stop, ends };
}

describe('createAdmission', () => {
  test('gives one project half of the places, and keeps the others for other projects', async () => {
    const admission = createAdmission();
    const flood = enterMany(admission, 'prj_flood', 80);
    const other = enterMany(admission, 'prj_other', 1);
    await Promise.resolve();
    expect(flood.begun()).toBe(50);
    expect(other.begun()).toBe(1);
    await Promise.all([flood.end(), other.end()]);
    expect(flood.begun()).toBe(80);
  });

  test('is crowded while 200 posts wait', async () => {
    const admission = createAdmission();
    const flood = enterMany(admission, 'prj_flood', 249);
    await Promise.resolve();
    expect(admission.isCrowded()).toBe(false);
    const last = enterMany(admission, 'prj_flood', 1);
    expect(admission.isCrowded()).toBe(true);
    await Promise.all([flood.end(), last.end()]);
    expect(admission.isCrowded()).toBe(false);
  });

  test('dismisses waiting posts when their signal aborts, and not those that have begun', async () => {
    const admission = createAdmission();
    const flood = enterMany(admission, 'prj_flood', 60);
    await Promise.resolve();
    const reason = new Error('stopping');
    flood.stop.abort(reason);
    const ended = Promise.allSettled(flood.ends);
    void flood.end().catch(() => undefined);
    const dismissed = (await ended).filter(({ status }) => status === 'rejected');
    expect(dismissed).toHaveLength(10);
    expect(dismissed).toMatchObject(Array.from({ length: 10 }, () => ({ reason })));
    expect(flood.begun()).toBe(50);
    expect(admission.isCrowded()).toBe(false);
  });
});
