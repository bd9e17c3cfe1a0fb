import { readFile } from 'node:fs/promises'
import type { SeededServer } from '../seed.ts'

/**
 * The pages of the console, each with its route in `packages/console/routes.tsx`, at a path where the sample data has
 * something to show.
 */
export function pagesOf(seed: SeededServer) {
  const { boxOffice, crm, ledger, stats } = seed.webhooks
  const page = (name: string, route: string, path = `/${route}`) => ({ name, route, path })
  return [
    page('overview', 'overview'),
    page('webhooks', 'webhooks'),
    page('new-webhook', 'webhooks/new'),
    page('webhook', 'webhooks/:id', `/webhooks/${boxOffice}`),
    page('webhook-on-hold', 'webhooks/:id', `/webhooks/${ledger}`),
    page('webhook-deliveries', 'webhooks/:id', `/webhooks/${crm}?tab=deliveries`),
    page('webhook-secret', 'webhooks/:id', `/webhooks/${crm}?tab=secret`),
    page('webhook-settings', 'webhooks/:id', `/webhooks/${crm}?tab=settings`),
    page('webhook-history', 'webhooks/:id', `/webhooks/${crm}?tab=history`),
    page('edit-webhook', 'webhooks/:id/edit', `/webhooks/${boxOffice}/edit`),
    page('recover', 'webhooks/:id/recover', `/webhooks/${stats}/recover`),
    page('events', 'events'),
    page('event', 'events/:id', `/events/${seed.eventId}`),
    page('consumers', 'consumers'),
    page('deliveries', 'deliveries'),
    page('delivery', 'deliveries/:id', `/deliveries/${seed.recovered}?attempt=${seed.attemptId}`),
    page('delivery-pending', 'deliveries/:id', `/deliveries/${seed.pending}`),
    page('tasks', 'tasks'),
    page('task', 'tasks/:id', `/tasks/${seed.taskId}`),
    page('event-types', 'event-types'),
    page('new-event-type', 'event-types/new'),
    page('event-type', 'event-types/:name', '/event-types/order.placed'),
    page('edit-event-type', 'event-types/:name/edit', '/event-types/order.placed/edit'),
    page('api-keys', 'api-keys'),
    page('alerts', 'alerts'),
    page('audit-log', 'audit-log', `/audit-log?entry=${seed.auditEntryId}`),
    page('organizations', 'organizations'),
    page('portal-preview', 'portal'),
    page('not-found', '*', '/nothing/here'),
  ]
}

/** Only the console has these. */
export const NOT_IN_PORTAL: readonly string[] = [
  ...['new-event-type', 'edit-event-type', 'api-keys', 'audit-log', 'organizations', 'alerts'],
  ...['consumers', 'tasks'],
]

/** The routes of the console, from its source. */
export async function routesOfConsole(): Promise<string[]> {
  const source = await readFile(
    new URL('../../../packages/console/routes.tsx', import.meta.url),
    'utf8',
  )
  return [...source.matchAll(/^ {2}'?([^'\n]+?)'?: \(\) => import\(/gm)].map(
    ([, route]) => route as string,
  )
}
