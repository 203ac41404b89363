// Files that this browser uploads, with their progress.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, type Client } from 'urql';
import { toProblem } from '../api/problem.ts';
import { randomId } from '../parts/random-id.ts';
import { CreateMedia, RenewUpload } from './media-documents.ts';
import type { Medium } from './medium.ts';
import { upload } from './upload.ts';

export interface Uploads {
  media: readonly Medium[];
  add(files: Iterable<File>, part?: string): void;
  /** Sends the rest of a file whose upload broke off in another page. */
  resume(file: File, mediaId: string): void;
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
    async (key: string, file: File, mediaId?: string) => {
      const controller = new AbortController();
      running.current.set(key, controller);
      try {
        const created = await open(client, file, mediaId);
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
    (added: Iterable<File>, part?: string) => {
      const fresh = [...added].map((file) => toMedium(file, part));
      setMedia((all) => [...all, ...fresh.map(({ medium }) => medium)]);
      for (const { medium, file } of fresh) {
        files.current.set(medium.key, file);
        void send(medium.key, file);
      }
    },
    [send],
  );

  const resume = useCallback(
    (file: File, mediaId: string) => {
      const { medium } = toMedium(file, undefined);
      setMedia((all) => [...all, medium]);
      files.current.set(medium.key, file);
      void send(medium.key, file, mediaId);
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
  return { media, add, resume, change, remove, retry };
}

/** Where the bytes go: to new media, or to those whose upload broke off. */
async function open(
  client: Client,
  file: File,
  mediaId: string | undefined,
): Promise<{ id: string; uploadUrl: string }> {
  const contentType = file.type || 'application/octet-stream';
  const input = { filename: file.name, contentType, sizeBytes: file.size };
  const { data, error } =
    mediaId === undefined
      ? await client.mutation(CreateMedia, { input }).toPromise()
      : await client.mutation(RenewUpload, { id: mediaId }).toPromise();
  const opened = data && ('createMedia' in data ? data.createMedia : data.renewMediaUploadUrl);
  if (opened?.uploadUrl) return { id: opened.id, uploadUrl: opened.uploadUrl };
  const { message, issues } = toProblem(error);
  throw new Error(issues[0]?.message ?? message);
}

function toMedium(file: File, part: string | undefined): { medium: Medium; file: File } {
  const medium: Medium = {
    key: randomId(),
    part,
    name: file.name,
    kind: kindOf(file.type),
    previewUrl: URL.createObjectURL(file),
    altText: '',
    sizeBytes: file.size,
    sentBytes: 0,
    state: 'sending',
  };
  return { medium, file };
}

function kindOf(type: string): Medium['kind'] {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('video/') ? 'video' : 'other';
}
