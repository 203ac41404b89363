// The REST routes of a project's own apps at networks.
import { DeletePlatformApp, PlatformApp, SetPlatformApp } from '../../schema/platform-apps.ts';
import { del, get, list, one, put, removed, written } from '../http/route.ts';
import {
  deletePlatformApp,
  getPlatformApp,
  listPlatformApps,
  setPlatformApp,
} from './operations.ts';

export const platformAppRoutes = [
  get('/v1/platform-credentials', {
    name: 'listPlatformApps',
    summary: 'List your own apps at networks',
    scope: 'accounts:read',
    answer: list(PlatformApp),
    run: ({ context, caller }) => listPlatformApps(context, caller),
  }),

  get('/v1/platform-credentials/:platform', {
    name: 'getPlatformApp',
    summary: 'Get your own app at a network',
    scope: 'accounts:read',
    answer: one(PlatformApp),
    run: ({ context, caller, params }) => getPlatformApp(context, caller, params.platform),
  }),

  put('/v1/platform-credentials/:platform', {
    name: 'setPlatformApp',
    summary: 'Set your own app at a network',
    description:
      "Users who connect an account then give their consent to your app instead of the operator's. Accounts that are connected stay with the app that connected them. Refused with the issue `app_not_supported` at a network that takes no app. Returns 201 for the first app at the network, and 200 for a change.",
    scope: 'accounts:write',
    body: SetPlatformApp,
    location: ({ data }) => `/v1/platform-credentials/${data.platform}`,
    answer: written([201, 200], PlatformApp),
    run: ({ context, caller, params, body }) =>
      setPlatformApp(context, caller, params.platform, body),
  }),

  del('/v1/platform-credentials/:platform', {
    name: 'deletePlatformApp',
    summary: 'Delete your own app at a network',
    description:
      'Refused with `conflict` while accounts are connected with the app, unless `force` is true.',
    scope: 'accounts:write',
    query: DeletePlatformApp,
    answer: removed,
    run: ({ context, caller, params, query }) =>
      deletePlatformApp(context, caller, params.platform, query),
  }),
];
