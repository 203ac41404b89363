// The form of media URLs. Which address one leads to is asked when it is fetched.
import type { Issue } from '../../../schema/wire/errors.ts';
import { checkUrlSyntax } from '../../../schema/wire/url-rules.ts';

export function checkMediaUrls(urls: string[], path: string): Issue[] {
  return urls.flatMap((url, i) => {
    const verdict = checkUrlSyntax(url);
    if (verdict.ok) return [];
    const isForm = verdict.code === 'not_absolute' || verdict.code === 'not_https';
    return [
      {
        path: `${path}[${i}]`,
        code: isForm ? 'invalid_url' : verdict.code,
        message: isForm ? 'must be an absolute http or https URL' : verdict.message,
        actual: url.slice(0, 64),
      },
    ];
  });
}
