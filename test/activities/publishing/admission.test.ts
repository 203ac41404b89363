// The limit of posts that a worker advances at a time, and its shares for projects.
import { describe, expect, test } from 'vitest';
import { createAdmission, type Admission } from '../../../activities/publishing/admission.ts';

/** Posts of the project that hold their places until `end` is called. */
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
  test('gives one project half of the places, and leaves the rest to other projects', async () => {
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
    expect(admission.crowdedProjects()).toEqual([]);
    const last = enterMany(admission, 'prj_flood', 1);
    expect(admission.crowdedProjects()).toEqual(['prj_flood']);
    await Promise.all([flood.end(), last.end()]);
    expect(admission.crowdedProjects()).toEqual([]);
  });

  test('rejects waiting posts when their signal aborts, and lets posts that have begun continue', async () => {
    const admission = createAdmission();
    const flood = enterMany(admission, 'prj_flood', 60);
    await Promise.resolve();
    const reason = new Error('stopping');
    flood.stop.abort(reason);
    const ended = Promise.allSettled(flood.ends);
    void flood.end().catch(() => undefined);
    const rejected = (await ended).filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(10);
    expect(rejected).toMatchObject(Array.from({ length: 10 }, () => ({ reason })));
    expect(flood.begun()).toBe(50);
    expect(admission.crowdedProjects()).toEqual([]);
  });
});
