// The dashboard explains the error codes of deliveries in the words of the docs.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { deliveryErrors } from '../../../api/dashboard/app/webhooks/delivery-errors.ts';

test('every code of the docs is explained', async () => {
  const docs = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const table = docs.slice(docs.indexOf('| Delivery `error_code` |')).split('\n\n', 1)[0]!;
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(10);
  expect(deliveryErrors).toEqual(Object.fromEntries(rows.map(([, code, words]) => [code, words])));
});
