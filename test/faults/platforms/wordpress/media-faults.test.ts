// Every fault in every stage of a post with an image and a video at WordPress.
import { afterAll } from 'vitest';
import { createMediaFiles } from '../../../support/file-media.ts';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { wordpressSubject } from '../../../support/networks/wordpress/subject.ts';

const files = await createMediaFiles();
afterAll(() => files[Symbol.asyncDispose]());

describeFaults(
  toKind({
    ...wordpressSubject,
    media: [await files.image(), await files.video()],
    calls: { ...wordpressSubject.calls, prepare: 2 },
  }),
);
