// Folders that a store of media accepts.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markerName } from '../../../activities/media/store/file.ts';

/** Marks the folder as `migrate` does, without a database. Creates it if it is missing. */
export function markFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, markerName), 'test\n');
}

/** A new folder with a marker. Its name begins with `prefix`. */
export function createMarkedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  markFolder(folder);
  return folder;
}
