// How a post at LinkedIn is found whose answer was lost.
import { describe, expect, test } from 'vitest';
import { startLinkedIn, pageUrn } from '../../../support/networks/linkedin/connected.ts';
import { createImage } from '../../../support/media/target-media.ts';

const addMany = (server: { addPost: (given: object) => string }, count: number) => {
  for (let i = 0; i < count; i++) server.addPost({ author: pageUrn, commentary: `Post ${i}` });
};

describe('reconcile', () => {
  test('finds the post by its text, among other posts', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ caption: 'A (b) #c_d\n\n@e' });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const sent = await network.commit(target);
    addMany(network.server, 60);
    expect(await network.reconcile(target)).toEqual(sent);
  });

  test('reads no further back than a minute before the post was due', async () => {
    await using network = await startLinkedIn();
    const target = network.target();
    await network.commit(target);
    const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    const found = { outcome: 'published' };
    expect(await network.reconcile({ ...target, dueAt: later(50) })).toMatchObject(found);
    const absent = { outcome: 'absent' };
    expect(await network.reconcile({ ...target, dueAt: later(70) })).toEqual(absent);
  });

  test('returns unknown for a page with more posts than LinkedIn lists', async () => {
    await using network = await startLinkedIn();
    const target = network.target();
    await network.commit(target);
    addMany(network.server, 100);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test.each([
    { link: { url: 'https://example.com/a' } },
    { poll: { question: 'Tea?', options: ['Yes', 'No'] } },
  ])('tells posts of the same text apart by %o', async (platformOptions) => {
    await using network = await startLinkedIn();
    const target = network.target({ platformOptions });
    network.server.addPost({ author: pageUrn });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const sent = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(sent);
    const plain = network.target();
    expect(await network.reconcile(plain)).not.toEqual(sent);
  });

  test('tells posts apart by their images, or by their number if the state is lost', async () => {
    await using network = await startLinkedIn();
    const media = [await createImage(), await createImage()];
    const [first, second] = [network.target({ media }), network.target({ media })];
    const states = [await network.prepare(first), await network.prepare(second)];
    const sent = await network.commit({ ...first, state: states[0]! });
    expect(await network.reconcile({ ...first, state: states[0]! })).toEqual(sent);
    expect(await network.reconcile({ ...second, state: states[1]! })).toEqual({
      outcome: 'absent',
    });
    expect(await network.reconcile({ ...first, state: {} })).toEqual(sent);
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'absent' });
  });

  test('returns unknown for a login that may not read', async () => {
    await using network = await startLinkedIn();
    const access_token = network.server.logins.createToken(['w_organization_social']);
    const target = network.target({ credentials: { access_token } });
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test('returns unknown for a member, without a call', async () => {
    await using network = await startLinkedIn();
    expect(await network.reconcile(network.memberTarget())).toEqual({ outcome: 'unknown' });
    expect(network.server.calls).toEqual([]);
  });
});
