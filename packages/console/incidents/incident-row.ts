import type { IncidentFragment, WebhookTroubleFragment } from '../generated/graphql.ts'
import { formatElapsed } from '../lib/format.ts'
import { webhookName } from '../webhooks/webhook-name.ts'

/** An incident, or a disabled webhook whose deliveries wait. */
export interface Row {
  readonly key: string
  readonly incident: IncidentFragment | null
  /** Null if it was deleted. */
  readonly webhook: WebhookTroubleFragment | null
}

export const nameOf = ({ webhook }: Row) => (webhook ? webhookName(webhook) : 'Deleted webhook')

/** How long an incident lasted, or has lasted until now. */
export const durationOf = ({
  openedAt,
  resolvedAt,
}: Pick<IncidentFragment, 'openedAt' | 'resolvedAt'>) =>
  formatElapsed(openedAt, resolvedAt ? Date.parse(resolvedAt) : Date.now())
