// The store of media: objects by key, in a folder or a bucket.
import type { MediaSource } from '../../platforms/platform.ts';
import type { Images } from '../images/images.ts';

export interface MediaStore {
  /** Writes a whole object. Once the promise resolves, the object survives a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * `range`: offsets of the first and the last byte. Default: everything. Throws if the object doesn't exist.
   */
  read(key: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Keys without an object are skipped. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes every object whose key begins with `<folder>/`, and partial files that a crash left there. */
  removeFolder(folder: string): Promise<void>;
}

export interface VideoFacts {
  width: number;
  height: number;
  durationMs: number;
}

/** The readers of a store's images and videos. Projects share the places for this work. */
export interface MediaReaders {
  images: Images;
  /** Throws a `MediaError` if the video is not usable. Passes on errors of the source unchanged. */
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
