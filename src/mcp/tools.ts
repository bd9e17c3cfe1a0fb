import type { Scope } from '../access/scope.ts'
import type { McpAccess } from '../config/setting-parsers.ts'
import type { Tool } from './tool.ts'
import { cancel } from './tools/cancel.ts'
import { enableWebhook } from './tools/enable-webhook.ts'
import { findDeliveries } from './tools/find-deliveries.ts'
import { findEvents } from './tools/find-events.ts'
import { getDelivery } from './tools/get-delivery.ts'
import { getEvent } from './tools/get-event.ts'
import { listEventTypes } from './tools/list-event-types.ts'
import { listFailures } from './tools/list-failures.ts'
import { listIncidents } from './tools/list-incidents.ts'
import { listWebhooks } from './tools/list-webhooks.ts'
import { recover } from './tools/recover.ts'
import { redeliver } from './tools/redeliver.ts'
import { resumeWebhook } from './tools/resume-webhook.ts'
import { sendTestEvent } from './tools/send-test-event.ts'
import { tryFilter } from './tools/try-filter.ts'
import { whatWaits } from './tools/what-waits.ts'
import { whyDoesWebhookFail } from './tools/why-does-webhook-fail.ts'
import { whyWasEventNotDelivered } from './tools/why-was-event-not-delivered.ts'

/** Every tool, in the order of the list. */
export const TOOLS: readonly Tool[] = [
  listWebhooks,
  whyDoesWebhookFail,
  whatWaits,
  listFailures,
  listIncidents,
  findDeliveries,
  getDelivery,
  findEvents,
  getEvent,
  whyWasEventNotDelivered,
  listEventTypes,
  tryFilter,
  redeliver,
  recover,
  resumeWebhook,
  enableWebhook,
  sendTestEvent,
  cancel,
]

/** What decides which tools a caller has. */
export interface Rights {
  readonly access: McpAccess
  readonly scopes: ReadonlySet<Scope | string>
  /** A session that is restricted to one webhook, or to one delivery. */
  readonly restrictedTo: 'webhook' | 'delivery' | null
}

/** The tools that a caller has. */
export function toolsFor({ access, scopes, restrictedTo }: Rights): Tool[] {
  const REACHES = { organization: 0, webhook: 1, delivery: 2 }
  const needed = REACHES[restrictedTo ?? 'organization']
  return TOOLS.filter(
    (tool) =>
      (tool.changes === null || access === 'write') &&
      REACHES[tool.reach] >= needed &&
      (scopes.has('admin') || tool.scopes.every((scope) => scopes.has(scope))),
  )
}
