// The page on which a creator reviews a post: its link, and what it shows.
import { expect } from 'vitest';
import type { Api } from '../../app/api.ts';
import type { Page } from '../../app/browser.ts';

export interface ReviewLink {
  url: string;
  post_id: string;
  social_account_id: string;
  can: string;
  expires_at: string;
}

export async function createReviewLink(api: Api, postId: string): Promise<ReviewLink> {
  const answer = await api.post(`/v1/posts/${postId}/review-links`, { can: 'publish' });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

const unescape = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The text of the page, in one line. */
export function textOf({ html }: Pick<Page, 'html'>): string {
  const body = html.slice(html.indexOf('<body'));
  const text = body
    .replaceAll(/<textarea[\s\S]*?<\/textarea\s*>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ');
  return unescape(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;])/g, '$1');
}

/** The tag of the control with this name. Undefined: the page has none. */
export function controlOf({ html }: Pick<Page, 'html'>, name: string): string | undefined {
  return new RegExp(`<(?:input|select|textarea)[^>]*\\bname="${name}"[^>]*>`).exec(html)?.[0];
}

export function captionOf({ html }: Pick<Page, 'html'>): string | undefined {
  const text = /<textarea[^>]*name="caption"[^>]*>([\s\S]*?)<\/textarea\s*>/.exec(html)?.[1];
  // Browsers leave out the first line break.
  return text === undefined ? undefined : unescape(text.replace(/^\n/, ''));
}

/** The options of the privacy levels with their attributes, the first of them without a value. */
export function levelsOf({ html }: Pick<Page, 'html'>) {
  const list = /<select[^>]*name="privacy_level"[\s\S]*?<\/select>/.exec(html)?.[0] ?? '';
  return [...list.matchAll(/<option value="(\w*)"([^>]*)>/g)].map(([, level, attributes]) => ({
    level: level!,
    isSelected: attributes!.includes('selected'),
    isDisabled: attributes!.includes('disabled'),
  }));
}
