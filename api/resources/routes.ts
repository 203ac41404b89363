// Every route of the REST API, in the order in which the API document shows them.
import { accountCheckRoutes } from '../account-checks/rest.ts';
import { accountRoutes } from '../accounts/rest.ts';
import { apiKeyRoutes } from '../api-keys/rest.ts';
import { connectRoutes } from '../connect/rest.ts';
import { deliveryRoutes } from '../deliveries/rest.ts';
import { eventRoutes } from '../events/rest.ts';
import { labelRoutes } from '../labels/rest.ts';
import { limitRoutes } from '../limits/rest.ts';
import { mediaRoutes } from '../media/rest.ts';
import { platformAppRoutes } from '../platform-apps/rest.ts';
import { platformRoutes } from '../platforms/rest.ts';
import { postRoutes } from '../posts/rest.ts';
import { projectRoutes } from '../projects/rest.ts';
import { queueRoutes } from '../queues/rest.ts';
import { replayRoutes } from '../replays/rest.ts';
import { shareRoutes } from '../share/rest.ts';
import type { Route } from '../http/route.ts';
import { userRoutes } from '../users/rest.ts';
import { webhookRoutes } from '../webhooks/rest.ts';

export const routes: readonly Route[] = [
  ...postRoutes,
  ...labelRoutes,
  ...queueRoutes,
  ...shareRoutes,
  ...mediaRoutes,
  ...accountRoutes,
  ...accountCheckRoutes,
  ...userRoutes,
  ...connectRoutes,
  ...platformAppRoutes,
  ...platformRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...apiKeyRoutes,
  ...projectRoutes,
  ...limitRoutes,
];
