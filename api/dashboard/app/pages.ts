// The pages: their paths, their names, and the scope that each needs. Each is loaded when it is opened.
import { lazy, type ComponentType } from 'react';
import type { Scope } from './api/schema.ts';
import type { PageProps } from './components/page.tsx';

export interface PageEntry {
  path: RegExp;
  scope?: Scope;
  Page: ComponentType<PageProps>;
}

function page<Name extends string>(
  load: () => Promise<Record<Name, ComponentType<PageProps>>>,
  name: Name,
): ComponentType<PageProps> {
  return lazy(async (): Promise<{ default: ComponentType<PageProps> }> => {
    const loaded = await load();
    return { default: loaded[name] };
  });
}

export const pages: readonly PageEntry[] = [
  { path: /^\/$/, Page: page(() => import('./home/home-page.tsx'), 'HomePage') },
  {
    path: /^\/posts$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./posts/posts-page.tsx'), 'PostsPage'),
  },
  {
    path: /^\/posts\/([\w-]+)$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./posts/post-page.tsx'), 'PostPage'),
  },
  {
    path: /^\/compose$/,
    scope: 'POSTS_WRITE',
    Page: page(() => import('./compose/compose-page.tsx'), 'ComposePage'),
  },
  {
    path: /^\/webhooks$/,
    scope: 'WEBHOOKS_READ',
    Page: page(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  },
  {
    path: /^\/webhooks\/([\w-]+)$/,
    scope: 'WEBHOOKS_READ',
    Page: page(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
  },
  {
    path: /^\/deliveries\/([\w-]+)$/,
    scope: 'WEBHOOKS_READ',
    Page: page(() => import('./webhooks/delivery-page.tsx'), 'DeliveryPage'),
  },
  {
    path: /^\/accounts$/,
    scope: 'ACCOUNTS_READ',
    Page: page(() => import('./accounts/accounts-page.tsx'), 'AccountsPage'),
  },
  {
    path: /^\/accounts\/([\w-]+)$/,
    scope: 'ACCOUNTS_READ',
    Page: page(() => import('./accounts/account-page.tsx'), 'AccountPage'),
  },
  {
    path: /^\/users$/,
    scope: 'ACCOUNTS_READ',
    Page: page(() => import('./users/users-page.tsx'), 'UsersPage'),
  },
  {
    path: /^\/calendar$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./calendar/calendar-page.tsx'), 'CalendarPage'),
  },
  {
    path: /^\/queues$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./queues/queues-page.tsx'), 'QueuesPage'),
  },
  {
    path: /^\/queues\/([\w-]+)$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./queues/queue-page.tsx'), 'QueuePage'),
  },
  {
    path: /^\/media$/,
    scope: 'POSTS_READ',
    Page: page(() => import('./media/media-page.tsx'), 'MediaPage'),
  },
  {
    path: /^\/settings$/,
    Page: page(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
  },
  {
    path: /^\/developers$/,
    Page: page(() => import('./developers/developers-page.tsx'), 'DevelopersPage'),
  },
];

export const navigation: readonly { to: string; label: string }[] = [
  { to: '/', label: 'Home' },
  { to: '/compose', label: 'New post' },
  { to: '/posts', label: 'Posts' },
  { to: '/calendar', label: 'Calendar' },
  { to: '/queues', label: 'Queues' },
  { to: '/media', label: 'Media' },
  { to: '/accounts', label: 'Accounts' },
  { to: '/users', label: 'Users' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/settings', label: 'Settings' },
  { to: '/developers', label: 'Developers' },
];
