import type { WebhookChangeKind } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import type { PlotMark } from './plot.tsx'

const LABELS: Record<WebhookChangeKind, string> = {
  CREATED: t('charts.changes.created'),
  UPDATED: t('charts.changes.updated'),
  ENABLED: t('charts.changes.enabled'),
  DISABLED: t('charts.changes.disabled'),
  SECRET_ROTATED: t('charts.changes.rotated'),
  PUT_ON_HOLD: t('charts.changes.onHold'),
  HOLD_ENDED: t('charts.changes.resumed'),
}

/** The mark of a change of a webhook. */
export const markOf = ({ at, kind }: { at: string; kind: WebhookChangeKind }): PlotMark => ({
  at,
  label: LABELS[kind],
})
