// Every fault in every stage of a post with an image and a video at WordPress.
import { createImage, createVideo } from '../../../../support/media/target-media.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { wordpressSubject } from '../../../../support/networks/wordpress/subject.ts';

describeFaults(
  toKind({
    ...wordpressSubject,
    media: [await createImage(), createVideo()],
    calls: { ...wordpressSubject.calls, prepare: 2 },
  }),
);
