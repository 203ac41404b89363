// The new post that is being written. It is kept while other pages are open, until it is sent or the session ends.
import { randomId } from '../browser/random-id.ts';
import type { UploadStore } from '../media/medium.ts';
import { newDraft, timeAt, type Draft } from './draft.ts';

export interface UnsentPost {
  readonly uploads: UploadStore;
  /** The draft, for the time that the address of the page names. */
  open(at: string | undefined): Draft;
  keep(draft: Draft): void;
  startAnew(): void;
  /** The same content has the same key, so that it isn't created twice if an answer is lost. */
  keyOf(content: string): string;
  close(): void;
}

export function createUnsentPost(openUploads: () => UploadStore): UnsentPost {
  let draft = newDraft();
  let uploads = openUploads();
  let openedAt: string | undefined;
  let last = { content: '', key: '' };
  return {
    get uploads() {
      return uploads;
    },
    open(at) {
      // A time that was changed since then stays, such as after the button back.
      if (at !== undefined && at !== openedAt) draft = { ...draft, when: timeAt(at) };
      openedAt = at ?? openedAt;
      return draft;
    },
    keep(changed) {
      draft = changed;
    },
    startAnew() {
      uploads.close();
      uploads = openUploads();
      draft = newDraft();
      openedAt = undefined;
      last = { content: '', key: '' };
    },
    keyOf(content) {
      if (content !== last.content) last = { content, key: randomId() };
      return last.key;
    },
    close: () => uploads.close(),
  };
}
