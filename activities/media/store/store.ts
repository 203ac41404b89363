// The store of media: objects by key, in a folder or a bucket.
import type { MediaSource } from '../../platforms/platform.ts';
import type { Images } from '../images/images.ts';

export interface MediaStore {
  /** Writes a whole object. It survives a crash once this has resolved. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** `range`: offsets of the first and the last byte. Default: everything. The stream fails if there is no such object. */
  open(key: string, range?: { start: number; end: number }): ReadableStream<Uint8Array>;
  /** Keys without an object are skipped. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes every object whose key begins with `<folder>/`, and what a crash left there. */
  removeFolder(folder: string): Promise<void>;
}

export interface VideoFacts {
  width: number;
  height: number;
  durationMs: number;
}

/** Read the images and videos of a store. Projects share the places for this work. */
export interface MediaReaders {
  images: Images;
  /** Throws a `MediaError` if the video is not usable, and errors of the source as they are. */
  readVideo(projectId: string, source: MediaSource, contentType: string): Promise<VideoFacts>;
}

/** The store of an installation, with its ceilings. */
export interface MediaStorage extends MediaReaders {
  store: MediaStore;
  /** Maximum size of a file. */
  maxBytes: number;
  /** Maximum size of all files of a project. */
  projectMaxBytes: number;
}

/** `full`: no space is left. `unavailable`: the store doesn't answer, or refuses. */
export type StoreErrorCode = 'full' | 'unavailable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
