// A path without anything: a page for people, JSON for programs.
import { describe, expect, test } from 'vitest';
import { createDashboardRoutes } from '../../../../api/dashboard/routes.ts';
import { createInboundRoutes } from '../../../../api/inbound/routes.ts';
import { createBrandRoutes } from '../../../../api/projects/brand-routes.ts';
import { createRest } from '../../../../api/server/rest.ts';
import type { ProcessContext } from '../../../../api/server/health.ts';
import { useRest } from '../../../support/app/rest.ts';

const rest = useRest();
const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language': 'de' };

const apps = () => {
  const context = rest.context as ProcessContext;
  return {
    '/nothing': createRest(context),
    '/inbound/nothing': createInboundRoutes(context),
    '/brand/nothing': createBrandRoutes(context),
  };
};

describe.each(['/nothing', '/inbound/nothing', '/brand/nothing'] as const)('at %s', (path) => {
  test('a browser gets a page in its language', async () => {
    const response = await apps()[path].request(path, { headers: browser });
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toContain('text/html');
    expect(response.headers.get('Vary')).toContain('Accept-Language');
    expect(response.headers.get('Vary')).toMatch(/Accept$/);
    expect(await response.text()).toContain('Hier gibt es nichts');
  });

  test.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
    'a program with %o gets JSON',
    async (headers) => {
      const response = await apps()[path].request(path, { headers });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
    },
  );
});

test('the REST API answers with JSON even if a client accepts HTML', async () => {
  const { '/nothing': app } = apps();
  for (const path of ['/v1', '/v1/nothing']) {
    const response = await app.request(path, { headers: browser });
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  }
  const dashboard = createDashboardRoutes(rest.context);
  for (const [path, at] of [
    ['/nothing', app],
    ['/dashboard/nothing', dashboard],
  ] as const) {
    const post = await at.request(path, { method: 'POST', headers: browser });
    expect(post.status).toBe(404);
    expect(await post.json()).toMatchObject({ error: { code: 'not_found' } });
  }
});
