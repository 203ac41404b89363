// The REST route of the networks' rules.
import { Capabilities } from '../../schema/platforms/capabilities.ts';
import { get, list } from '../http/route.ts';
import { listCapabilities } from './operations.ts';

export const platformRoutes = [
  get('/v1/platforms/capabilities', {
    name: 'listCapabilities',
    summary: 'List what each network accepts',
    scope: 'any key',
    answer: list(Capabilities),
    run: ({ context }) => listCapabilities(context),
  }),
];
