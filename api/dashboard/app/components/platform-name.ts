// Networks as people write them.
import type { Platform } from '../api/schema.ts';

const names: Partial<Record<string, string>> = {
  LINKEDIN: 'LinkedIn',
  TIKTOK: 'TikTok',
  TWITTER: 'X',
  WORDPRESS: 'WordPress',
  YOUTUBE: 'YouTube',
};

/** A network that is newer than this page is shown by its own name. */
export function platformName(platform: Platform): string {
  return names[platform] ?? platform.charAt(0) + platform.slice(1).toLowerCase();
}
