// The REST routes of checks of accounts.
import { AccountCheck, checksPerHour, CreateAccountCheck } from '../../schema/account-checks.ts';
import { get, one, post, written } from '../http/route.ts';
import { createAccountCheck, getAccountCheck } from './operations.ts';

export const accountCheckRoutes = [
  post('/v1/accounts/:id/checks', {
    name: 'createAccountCheck',
    summary: 'Check an account',
    description: `Asks the network whether the account can publish: its login, permissions, app and quota, and whether the network can fetch media from this installation. Nothing is published, unless you ask for that with \`publish\`, which needs the scope \`posts:write\` and counts in the usage of the account. An account has one check at a time, and at most ${checksPerHour.any} an hour, of which ${checksPerHour.publishing} publish.`,
    scope: 'accounts:write',
    body: CreateAccountCheck,
    isBodyOptional: true,
    location: ({ data }, { id }) => `/v1/accounts/${id}/checks/${data.id}`,
    answer: written(202, AccountCheck),
    run: ({ context, caller, params, body }) =>
      createAccountCheck(context, caller, params.id, body),
  }),

  get('/v1/accounts/:id/checks/:check_id', {
    name: 'getAccountCheck',
    summary: 'Get a check of an account',
    description: 'Kept as long as events are.',
    scope: 'accounts:read',
    answer: one(AccountCheck),
    run: ({ context, caller, params }) =>
      getAccountCheck(context, caller, params.check_id, params.id),
  }),
];
