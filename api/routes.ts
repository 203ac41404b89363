// Every route of the REST face, in the order in which the API document shows them.
import { apiKeyRoutes } from './api-keys/rest.ts';
import { projectRoutes } from './projects/rest.ts';
import type { Route } from './route.ts';

export const routes: readonly Route[] = [...apiKeyRoutes, ...projectRoutes];
