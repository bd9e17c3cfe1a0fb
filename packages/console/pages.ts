import { matchPath } from 'react-router'
import { alertsQuery } from './alerts/alerts-query.ts'
import { apiKeysQuery } from './api-keys/api-keys-query.ts'
import { attemptsQuery } from './attempts/attempts-query.ts'
import { auditActorsQuery, auditLogQuery } from './audit/audit-log-query.ts'
import { consumersQuery } from './consumers/consumers-query.ts'
import {
  deliveriesByEventQuery,
  deliveriesQuery,
  deliveryQuery,
} from './deliveries/deliveries-query.ts'
import { eventTypeQuery, eventTypesQuery } from './event-types/event-type-queries.ts'
import { eventQuery, eventsQuery } from './events/events-query.ts'
import { type LazyPage, lazyPage } from './lazy-page.ts'
import { mount } from './mount.ts'
import { statisticsQuery } from './overview/overview-queries.ts'
import { taskQuery } from './tasks/use-task.ts'
import {
  editWebhookQuery,
  recoverQuery,
  webhookCatalogueQuery,
  webhookDefaultsQuery,
  webhookQuery,
  webhooksQuery,
} from './webhooks/webhook-queries.ts'

/** Each page by its path, with the queries that it asks first. */
const PAGES: Readonly<Record<string, LazyPage>> = {
  overview: lazyPage(() => import('./overview/overview-page.tsx'), [statisticsQuery]),
  webhooks: lazyPage(() => import('./webhooks/list/webhooks-page.tsx'), [webhooksQuery]),
  'webhooks/new': lazyPage(
    () => import('./webhooks/form/new-webhook-page.tsx'),
    [webhookCatalogueQuery, webhookDefaultsQuery],
  ),
  'webhooks/:id': lazyPage(() => import('./webhooks/page/webhook-page.tsx'), [webhookQuery]),
  'webhooks/:id/edit': lazyPage(
    () => import('./webhooks/form/edit-webhook-page.tsx'),
    [editWebhookQuery, webhookCatalogueQuery, webhookDefaultsQuery],
  ),
  'webhooks/:id/recover': lazyPage(() => import('./tasks/recover-page.tsx'), [recoverQuery]),
  events: lazyPage(() => import('./events/events-page.tsx'), [eventsQuery]),
  'events/:id': lazyPage(() => import('./events/event-page.tsx'), [eventQuery]),
  consumers: lazyPage(() => import('./consumers/consumers-page.tsx'), [consumersQuery], {
    scope: 'events:read',
    title: 'Consumers',
  }),
  attempts: lazyPage(() => import('./attempts/attempts-page.tsx'), [attemptsQuery]),
  deliveries: lazyPage(
    () => import('./deliveries/list/deliveries-page.tsx'),
    [deliveriesQuery, deliveriesByEventQuery],
  ),
  'deliveries/:id': lazyPage(() => import('./deliveries/page/delivery-page.tsx'), [deliveryQuery]),
  tasks: lazyPage(() => import('./tasks/tasks-page.tsx'), [], {
    scope: 'deliveries:read',
    title: 'Tasks',
  }),
  'tasks/:id': lazyPage(() => import('./tasks/task-page.tsx'), [taskQuery]),
  'event-types': lazyPage(() => import('./event-types/event-types-page.tsx'), [eventTypesQuery]),
  'event-types/new': lazyPage(() => import('./event-types/form/new-event-type-page.tsx'), [], {
    scope: 'admin',
    title: 'Create event type',
  }),
  'event-types/:name': lazyPage(
    () => import('./event-types/page/event-type-page.tsx'),
    [eventTypeQuery],
  ),
  'event-types/:name/edit': lazyPage(
    () => import('./event-types/form/edit-event-type-page.tsx'),
    [eventTypeQuery],
  ),
  'api-keys': lazyPage(() => import('./api-keys/api-keys-page.tsx'), [apiKeysQuery], {
    scope: 'keys:manage',
    title: 'API keys',
  }),
  'audit-log': lazyPage(
    () => import('./audit/audit-log-page.tsx'),
    [auditLogQuery, auditActorsQuery],
    { scope: 'keys:manage', title: 'Audit log' },
  ),
  alerts: lazyPage(() => import('./alerts/alerts-page.tsx'), [alertsQuery], {
    scope: 'webhooks:read',
    title: 'Alerts',
  }),
  portal: lazyPage(() => import('./portal/portal-page.tsx'), [], {
    scope: 'keys:manage',
    title: 'Portal',
  }),
  organizations: lazyPage(() => import('./organizations/organizations-page.tsx'), [], {
    scope: 'admin',
    title: 'Organizations',
  }),
  '*': lazyPage(() => import('./shell/not-found-page.tsx')),
}

/** No session of the portal reads these. */
const MISSING = mount.kind === 'portal' ? ['alerts', 'consumers', 'tasks'] : []

export const ROUTES = Object.entries(PAGES).filter(([path]) => !MISSING.includes(path))

/** The page at a path, with the parameters of the path. */
export function pageAt(pathname: string) {
  for (const [path, page] of ROUTES) {
    const match = matchPath(`/${path}`, pathname)
    if (match) return { path, page, params: match.params }
  }
  return null
}

/** Loads the script of a page that the reader is about to open. */
export function loadScriptOf(pathname: string): void {
  const found = pageAt(pathname)
  if (!found || found.path === '*') return
  // Once opened, the page reports what fails.
  found.page.load().catch(() => {})
}
