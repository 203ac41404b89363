// Files that this browser uploads, with their progress.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, type Client } from 'urql';
import { toProblem } from '../api/problem.ts';
import { randomId } from '../browser/random-id.ts';
import { CreateMedia, RenewUpload } from './media-documents.ts';
import type { Medium } from './medium.ts';
import { upload } from './upload.ts';

export interface Uploads {
  media: readonly Medium[];
  add(files: Iterable<File>, part?: string): void;
  /** Sends the rest of a file whose upload broke off in another page. */
  resume(file: File, mediaId: string): void;
  change(key: string, changes: Pick<Medium, 'altText'>): void;
  remove(key: string): void;
  /** Continues after the bytes that arrived. */
  retry(key: string): void;
}

interface Source {
  file: File;
  /** Holds the file in memory until it is revoked. */
  previewUrl: string;
  /** Undefined: no media have been created for the file yet. */
  mediaId?: string | undefined;
}

export function useUploads(initial: readonly Medium[]): Uploads {
  const client = useClient();
  const [media, setMedia] = useState(initial);
  const sources = useRef(new Map<string, Source>());
  const running = useRef(new Map<string, AbortController>());

  const change = useCallback((key: string, changes: Partial<Medium>) => {
    setMedia((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  }, []);

  const send = useCallback(
    async (key: string, source: Source) => {
      const { file } = source;
      const sizeBytes = file.size;
      const controller = new AbortController();
      running.current.set(key, controller);
      let sentBytes = 0;
      const onProgress = (bytes: number) => {
        sentBytes = bytes;
        change(key, { upload: { state: 'sending', sizeBytes, sentBytes } });
      };
      onProgress(0);
      try {
        const { id, uploadUrl } = await open(client, source);
        source.mediaId = id;
        await upload({ file, uploadUrl, signal: controller.signal, onProgress });
        change(key, { upload: undefined, mediaId: id });
      } catch (error) {
        if (controller.signal.aborted) return;
        const problem = (error as Error).message;
        change(key, { upload: { state: 'failed', sizeBytes, sentBytes, problem } });
      } finally {
        running.current.delete(key);
      }
    },
    [client, change],
  );

  const begin = useCallback(
    (file: File, part: string | undefined, mediaId?: string) => {
      const key = randomId();
      const source = { file, previewUrl: URL.createObjectURL(file), mediaId };
      sources.current.set(key, source);
      setMedia((all) => [...all, toMedium(key, source, part)]);
      void send(key, source);
    },
    [send],
  );

  const add = useCallback(
    (files: Iterable<File>, part?: string) => {
      for (const file of files) begin(file, part);
    },
    [begin],
  );

  const resume = useCallback(
    (file: File, mediaId: string) => begin(file, undefined, mediaId),
    [begin],
  );

  const remove = useCallback((key: string) => {
    running.current.get(key)?.abort();
    const source = sources.current.get(key);
    if (source) URL.revokeObjectURL(source.previewUrl);
    sources.current.delete(key);
    setMedia((all) => all.filter((one) => one.key !== key));
  }, []);

  const retry = useCallback(
    (key: string) => {
      const source = sources.current.get(key);
      if (source) void send(key, source);
    },
    [send],
  );

  useEffect(() => {
    const uploads = running.current;
    const all = sources.current;
    return () => {
      for (const controller of uploads.values()) controller.abort();
      for (const { previewUrl } of all.values()) URL.revokeObjectURL(previewUrl);
    };
  }, []);
  return { media, add, resume, change, remove, retry };
}

/** Where the bytes go: to new media, or to those whose upload broke off. */
async function open(
  client: Client,
  { file, mediaId }: Source,
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

function toMedium(key: string, { file, previewUrl }: Source, part: string | undefined): Medium {
  return {
    key,
    part,
    name: file.name,
    kind: kindOf(file.type),
    previewUrl,
    altText: '',
    upload: { state: 'sending', sizeBytes: file.size, sentBytes: 0 },
  };
}

function kindOf(type: string): Medium['kind'] {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('video/') ? 'video' : 'other';
}
