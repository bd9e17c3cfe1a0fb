import type { WebhookChangeKind } from '../../generated/graphql.ts'
import type { PlotMark } from './plot.tsx'

const LABELS: Record<WebhookChangeKind, string> = {
  CREATED: 'Webhook created',
  UPDATED: 'Settings changed',
  ENABLED: 'Enabled',
  DISABLED: 'Disabled',
  SECRET_ROTATED: 'Secret rotated',
  PUT_ON_HOLD: 'Put on hold',
  HOLD_ENDED: 'Hold ended',
}

/** The mark of a change of a webhook. */
export const markOf = ({ at, kind }: { at: string; kind: WebhookChangeKind }): PlotMark => ({
  at,
  label: LABELS[kind],
})
