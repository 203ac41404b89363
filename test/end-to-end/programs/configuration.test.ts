// The help lists every variable. A wrong configuration is refused with every issue.
import { describe, expect, test } from 'vitest';
import { startProgram } from '../../support/app/program.ts';

describe('the help', () => {
  test('names every variable with one default', async () => {
    await using help = startProgram({ command: ['--help'] });
    expect((await help.exit).code).toBe(0);
    expect(help.output()).toMatch(/FANFARE_PORT\n .* Default: 4000\.\n/);
    expect(help.output()).toMatch(
      /FANFARE_DELIVERY_DELAYS_MS\n .* Default: 30000,120000,600000\.\n/,
    );
    expect(help.output()).toMatch(
      /FANFARE_LINKEDIN_SCOPES\n .* Default: openid profile w_member_social\.\n/,
    );
    expect(help.output()).toMatch(/FANFARE_CORS_ORIGINS\n .* Default: none\.\n/);
    expect(help.output()).not.toMatch(/Default:.* Default:/);
  });
});

describe('a wrong configuration', () => {
  test('lists every issue at once and exits with 1', async () => {
    await using wrong = startProgram({
      env: {
        FANFARE_PORT: '70000',
        FANFARE_API_KEY: 'short',
        DATABASE_URL: 'mysql://localhost/x',
        FANFARE_ALLOW_PRIVATE_CIDRS: '10.0.0.0/99',
        FANFARE_PROT: '1',
      },
    });
    expect((await wrong.exit).code).toBe(1);
    for (const name of [
      'FANFARE_PORT',
      'FANFARE_API_KEY',
      'DATABASE_URL',
      'FANFARE_ALLOW_PRIVATE_CIDRS',
      'FANFARE_PROT',
    ]) {
      expect(wrong.output()).toContain(`${name}: `);
    }
  });
});
