// A file of a post: one that this browser uploads, or one that the post has. And what can be done with such files.

export interface UploadState {
  state: 'sending' | 'failed';
  sizeBytes: number;
  sentBytes: number;
  problem?: string;
}

export interface Medium {
  /** In this browser only. */
  key: string;
  name: string;
  kind: 'image' | 'video' | 'other';
  /** Of a thread. Undefined: the first part, or no thread. */
  part?: string | undefined;
  /** Where the browser shows it from. */
  previewUrl: string | undefined;
  altText: string;
  /** Undefined: the file is complete. */
  upload?: UploadState | undefined;
  /** Of a complete file. */
  mediaId?: string;
  /** Of a medium that the post has by its URL. */
  url?: string;
  /** What a stored post says of the still image of a video. */
  thumbnail?: { thumbnailId?: string | null; thumbnailAtMs?: number | null };
}

export interface UploadActions {
  add(files: Iterable<File>, part?: string): void;
  /** Sends the rest of a file whose upload broke off in another page. */
  resume(file: File, mediaId: string): void;
  /** Adds a file that is complete. */
  attach(medium: Omit<Medium, 'key'>): void;
  change(key: string, changes: Pick<Medium, 'altText'>): void;
  remove(key: string): void;
  /** Continues after the bytes that arrived. */
  retry(key: string): void;
}

export interface UploadStore extends UploadActions {
  media(): readonly Medium[];
  /** Calls the listener after each change. */
  watch(listener: () => void): () => void;
  /** Ends the uploads, and lets go of the files. */
  close(): void;
}
