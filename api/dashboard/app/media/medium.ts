// A file of a post: one that this browser uploads, or one that the post has.

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
