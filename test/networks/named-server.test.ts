// The contract's cases without faults at the server that somebody named: `npm run test:networks -- <network> ...`
import { afterAll, vi } from 'vitest';
import { describeLiveCases } from '../support/networks/contract/live-cases.ts';
import { isSecretName } from '../support/networks/contract/live-client.ts';
import {
  namedServerVariable,
  type NamedServer,
} from '../support/networks/contract/named-server.ts';
import type { Decision } from '../support/networks/contract/subject.ts';
import { factsOf } from '../support/networks/contract/subjects.ts';

const { name, credentials, isByConsent } = JSON.parse(
  process.env[namedServerVariable]!,
) as NamedServer;
const facts = factsOf(name, credentials);
const published: string[] = [];
/** A real server may limit its rate, and a person takes time to log in. */
const patienceMs = isByConsent ? 600_000 : 120_000;
vi.setConfig({ testTimeout: patienceMs + 10_000, hookTimeout: patienceMs + 60_000 });
const settings = Object.entries(process.env).filter(([variable]) =>
  /^FANFARE_(ALLOW_PRIVATE_CIDRS$|PORT$|PUBLIC_URL$|[A-Z]+_API_URL$|[A-Z]+_CLIENT_(ID|SECRET)$|BLUESKY_)/.test(
    variable,
  ),
);
const askForConsent = (url: string, decision: Decision = 'allow') => {
  const answer = decision === 'allow' ? `log in at ${name}` : `refuse at ${name}`;
  console.log(`Open this link in a browser on this machine, and ${answer}:\n  ${url}`);
};

describeLiveCases({
  ...facts,
  isByConsent,
  patienceMs,
  options: facts.options.filter(({ isOwn }) => !isOwn),
  start: () =>
    Promise.resolve({
      env: Object.fromEntries(settings) as Record<string, string>,
      credentials,
      ...(isByConsent && { consent: askForConsent }),
      wrongCredentials: Object.keys(credentials)
        .filter(isSecretName)
        .map((field) => ({
          field,
          credentials: { ...credentials, [field]: spoil(credentials[field]!) },
        })),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  onPublished: (post) => void published.push(post),
});

afterAll(() => console.log(['Published, for you to delete:', ...published].join('\n  ')));

/** Of the same form, and wrong. */
const spoil = (secret: string) =>
  secret.replace(/[a-z](?=[^a-z]*$)/i, (letter) => (letter === 'a' ? 'b' : 'a'));
