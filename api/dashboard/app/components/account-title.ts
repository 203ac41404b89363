// An account as lists and choices name it.
import type { Platform } from '../api/schema.ts';
import { platformName } from './platform-name.ts';

interface Titled {
  platform: Platform;
  accountName: string;
  displayName: string | null;
}

export function accountTitle({ platform, displayName, accountName }: Titled): string {
  return `${platformName(platform)} ${displayName ?? accountName}`;
}
