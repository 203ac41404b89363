// Files that this browser uploads, with their progress. They continue while other pages are open.
import type { Client } from 'urql';
import { toProblem } from '../api/problem.ts';
import { randomId } from '../browser/random-id.ts';
import { CreateMedia, RenewUpload } from './media-documents.ts';
import type { Medium, UploadStore } from './medium.ts';
import { upload } from './upload.ts';

interface Source {
  file: File;
  /** Holds the file in memory until it is revoked. */
  previewUrl: string;
  /** Undefined: no media have been created for the file yet. */
  mediaId?: string | undefined;
}

export function createUploads(client: Client, initial: readonly Medium[] = []): UploadStore {
  let media = initial;
  const listeners = new Set<() => void>();
  const sources = new Map<string, Source>();
  const running = new Map<string, AbortController>();

  function set(next: readonly Medium[]): void {
    media = next;
    for (const listener of listeners) listener();
  }
  function change(key: string, changes: Partial<Medium>): void {
    set(media.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  }

  async function send(key: string, source: Source): Promise<void> {
    const { file } = source;
    const sizeBytes = file.size;
    const controller = new AbortController();
    running.set(key, controller);
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
      running.delete(key);
    }
  }

  function begin(file: File, part: string | undefined, mediaId?: string): void {
    const key = randomId();
    const source = { file, previewUrl: URL.createObjectURL(file), mediaId };
    sources.set(key, source);
    set([...media, toMedium(key, source, part)]);
    void send(key, source);
  }

  return {
    media: () => media,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add(files, part) {
      for (const file of files) begin(file, part);
    },
    resume: (file, mediaId) => begin(file, undefined, mediaId),
    attach: (medium) => set([...media, { ...medium, key: randomId() }]),
    change,
    remove(key) {
      running.get(key)?.abort();
      const source = sources.get(key);
      if (source) URL.revokeObjectURL(source.previewUrl);
      sources.delete(key);
      set(media.filter((one) => one.key !== key));
    },
    retry(key) {
      const source = sources.get(key);
      if (source) void send(key, source);
    },
    close() {
      for (const controller of running.values()) controller.abort();
      for (const { previewUrl } of sources.values()) URL.revokeObjectURL(previewUrl);
    },
  };
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
