// Documents of a post at LinkedIn: uploaded whole, processed by LinkedIn, and shown with a title.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createDocument } from '../../../support/media/target-media.ts';
import { startLinkedIn } from '../../../support/networks/linkedin/connected.ts';

const platformOptions = { document_title: 'The plan \ud83d' };
const never = new AbortController().signal;

describe('a document', () => {
  test('is the media of the post, with its title', async () => {
    await using network = await startLinkedIn();
    const document = createDocument();
    await network.publish(network.target({ media: [document], platformOptions }));
    const { urn } = network.server.uploads[0]!;
    expect(network.server.calls).toEqual([
      'POST /rest/documents?initializeUpload',
      expect.stringMatching(/^PUT \/dms-uploads\//),
      expect.stringMatching(/^GET \/rest\/documents\//),
      expect.stringMatching(/^GET \/rest\/documents\//),
      'POST /rest/posts',
    ]);
    const [post] = network.server.listPosts();
    expect(post!.media).toEqual([document.sha256]);
    expect(network.server.posts[0]!.given.content).toEqual({
      media: { id: urn, title: 'The plan \ufffd' },
    });
  });

  test('is not uploaded again while LinkedIn processes it', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createDocument()], platformOptions });
    const uploaded = await network.linkedin.prepare!(target, never);
    expect(uploaded).toEqual({
      outcome: 'more',
      state: { urns: [], document: network.server.uploads[0]!.urn },
      waitMs: 2_000,
    });
    const { state } = uploaded;
    expect(await network.linkedin.prepare!({ ...target, state }, never)).toEqual(uploaded);
    expect(await network.linkedin.prepare!({ ...target, state }, never)).toEqual({
      outcome: 'prepared',
      state: { urns: [network.server.uploads[0]!.urn] },
    });
    expect(network.server.uploads).toHaveLength(1);
  });

  test('that LinkedIn cannot process is refused with the reason', async () => {
    await using network = await startLinkedIn();
    network.server.failsProcessing = true;
    const target = network.memberTarget({ media: [createDocument()], platformOptions });
    expect(await refusal(network.prepare(target))).toMatchObject({
      kind: 'rejected',
      message: 'LinkedIn could not process the document: The codec is unknown.',
      options: { platformCode: 'PROCESSING_FAILED' },
    });
  });

  test('is found after a lost answer', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createDocument()], platformOptions });
    const state = await network.prepare(target);
    const outcome = await network.commit({ ...target, state });
    const { throttle: _, ...published } = outcome;
    expect(await network.reconcile({ ...target, state })).toEqual(published);
  });
});
