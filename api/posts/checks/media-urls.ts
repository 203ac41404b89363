// Checks the form of media URLs. Their addresses are checked when they are fetched.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Path } from '../../../schema/wire/names.ts';
import { checkUrlSyntax } from '../../../schema/wire/url-rules.ts';

export function checkMediaUrls(urls: string[], at: Path): Issue[] {
  return urls.flatMap((url, i) => {
    const verdict = checkUrlSyntax(url);
    if (verdict.ok) return [];
    const isForm = verdict.code === 'not_absolute' || verdict.code === 'not_https';
    return [
      {
        path: [...at, i],
        code: isForm ? 'invalid_url' : verdict.code,
        message: isForm ? 'must be an absolute http or https URL' : verdict.message,
        actual: url.slice(0, 64),
      },
    ];
  });
}
