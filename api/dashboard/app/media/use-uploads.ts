// The uploads of a page.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { useKept } from '../session/kept.ts';
import type { Medium, UploadActions, UploadStore } from './medium.ts';
import { createUploads } from './uploads.ts';

export interface Uploads extends UploadActions {
  media: readonly Medium[];
}

export function useUploads(store: UploadStore): Uploads {
  const media = useSyncExternalStore(store.watch, store.media);
  return { ...store, media };
}

/** Of the page about media. They continue while other pages are open. */
export function useMediaUploads(): Uploads {
  const client = useClient();
  return useUploads(useKept('media', () => createUploads(client)));
}

/** They end with the page. */
export function useOwnUploads(initial: readonly Medium[]): Uploads {
  const client = useClient();
  const [store] = useState(() => createUploads(client, initial));
  useEffect(() => store.close, [store]);
  return useUploads(store);
}
