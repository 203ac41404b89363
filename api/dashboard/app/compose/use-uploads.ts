// The media of the post that is being written, with the progress of their uploads.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { toProblem } from '../api/problem.ts';
import { randomId } from '../parts/random-id.ts';
import { CreateMedia } from './compose-documents.ts';
import { upload } from './upload.ts';

export interface Medium {
  /** In this browser only. */
  key: string;
  name: string;
  kind: 'image' | 'video' | 'other';
  /** Where the browser shows it from. */
  previewUrl: string | undefined;
  altText: string;
  sizeBytes: number;
  sentBytes: number;
  state: 'sending' | 'ready' | 'failed';
  problem?: string;
  mediaId?: string;
  /** Of a medium that the post has by its URL. */
  url?: string;
}

export interface Uploads {
  media: readonly Medium[];
  add(files: Iterable<File>): void;
  change(key: string, changes: Partial<Medium>): void;
  remove(key: string): void;
  retry(key: string): void;
}

export function useUploads(initial: readonly Medium[]): Uploads {
  const client = useClient();
  const [media, setMedia] = useState(initial);
  const files = useRef(new Map<string, File>());
  const running = useRef(new Map<string, AbortController>());

  const change = useCallback((key: string, changes: Partial<Medium>) => {
    setMedia((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  }, []);

  const send = useCallback(
    async (key: string, file: File) => {
      const controller = new AbortController();
      running.current.set(key, controller);
      try {
        const contentType = file.type || 'application/octet-stream';
        const input = { filename: file.name, contentType, sizeBytes: file.size };
        const { data, error } = await client.mutation(CreateMedia, { input }).toPromise();
        const created = data?.createMedia;
        if (!created?.uploadUrl) {
          const { message, issues } = toProblem(error);
          throw new Error(issues[0]?.message ?? message);
        }
        await upload({
          file,
          uploadUrl: created.uploadUrl,
          signal: controller.signal,
          onProgress: (sentBytes) => change(key, { sentBytes }),
        });
        change(key, { state: 'ready', sentBytes: file.size, mediaId: created.id });
      } catch (error) {
        if (controller.signal.aborted) return;
        change(key, { state: 'failed', problem: (error as Error).message });
      } finally {
        running.current.delete(key);
      }
    },
    [client, change],
  );

  const add = useCallback(
    (added: Iterable<File>) => {
      const fresh = [...added].map((file): Medium => {
        const key = randomId();
        files.current.set(key, file);
        void send(key, file);
        return {
          key,
          name: file.name,
          kind: kindOf(file.type),
          previewUrl: URL.createObjectURL(file),
          altText: '',
          sizeBytes: file.size,
          sentBytes: 0,
          state: 'sending',
        };
      });
      setMedia((all) => [...all, ...fresh]);
    },
    [send],
  );

  const remove = useCallback((key: string) => {
    running.current.get(key)?.abort();
    files.current.delete(key);
    setMedia((all) => all.filter((one) => one.key !== key));
  }, []);

  const retry = useCallback(
    (key: string) => {
      const file = files.current.get(key);
      if (!file) return;
      change(key, { state: 'sending', sentBytes: 0 });
      void send(key, file);
    },
    [change, send],
  );

  useEffect(() => {
    const uploads = running.current;
    return () => {
      for (const controller of uploads.values()) controller.abort();
    };
  }, []);
  return { media, add, change, remove, retry };
}

function kindOf(type: string): Medium['kind'] {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('video/') ? 'video' : 'other';
}
