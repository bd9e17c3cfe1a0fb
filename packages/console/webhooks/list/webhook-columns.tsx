import { Text } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookListQuery, WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount, formatDuration, formatPercent, hostAndPath } from '../../lib/format.ts'
import { BEHIND_CAUSES } from '../health/behind-causes.ts'
import { causeOf } from '../health/last-failure.tsx'
import { MAX_COUNTED } from '../health/trouble-text.tsx'
import { WebhookState } from '../health/webhook-state.tsx'
import { webhookName } from '../webhook-name.ts'

export type WebhookListRow = NonNullable<WebhookListQuery['webhooks']>['nodes'][number]

/** The columns of the webhook list, with health for viewers who may see it. */
export function webhookColumns(withHealth: boolean): readonly Column<WebhookListRow>[] {
  return withHealth ? [...BASE_COLUMNS, ...HEALTH_COLUMNS, ...OTHERS] : [...BASE_COLUMNS, ...OTHERS]
}

const BASE_COLUMNS: readonly Column<WebhookListRow>[] = [
  {
    label: t('Webhook'),
    width: '36%',
    grow: true,
    order: { value: 'NAME', direction: 'ascending' },
    cell: (webhook) => (
      <>
        {webhookName(webhook)}
        <span className="ph-below">{hostAndPath(webhook.url)}</span>
      </>
    ),
  },
  { label: t('State'), grow: true, width: '34%', cell: (webhook) => <State {...webhook} /> },
]

const HEALTH_COLUMNS: readonly Column<WebhookListRow>[] = [
  {
    label: t('Waiting'),
    end: true,
    order: { value: 'MOST_WAITING', direction: 'descending' },
    cell: ({ backlog }) =>
      backlog && (backlog.count < MAX_COUNTED ? formatCount(backlog.count) : '10,000+'),
  },
  {
    label: t('Oldest'),
    end: true,
    priority: 3,
    cell: ({ backlog }) =>
      backlog && (backlog.oldest ? <Time at={backlog.oldest.createdAt} as="elapsed" /> : '–'),
  },
  {
    label: t('Success rate'),
    end: true,
    cell: ({ health }) =>
      health && (
        <span
          title={t('Of {count, plural, one {# attempt} other {# attempts}}', {
            count: health.attempts,
          })}
        >
          {typeof health.successRate === 'number' ? formatPercent(health.successRate) : '–'}
        </span>
      ),
  },
  {
    label: 'p95',
    end: true,
    priority: 3,
    cell: ({ health }) => health && (health.latency ? formatDuration(health.latency.p95Ms) : '–'),
  },
  {
    label: t('Last success'),
    end: true,
    priority: 2,
    cell: ({ health }) =>
      health &&
      (health.lastSuccessAt ? <Time at={health.lastSuccessAt} as="relative" /> : t('None yet')),
  },
]

const OTHERS: readonly Column<WebhookListRow>[] = [
  {
    label: t('Subscribes to'),
    grow: true,
    width: '16%',
    priority: 3,
    cell: ({ eventSubscriptions }) => (
      <Text span size="xs" className="ph-mono">
        {eventSubscriptions.map(({ name }) => name).join(', ')}
      </Text>
    ),
  },
]

/** The state and, in trouble, the cause. */
function State({ enabled, health, lastFailure }: WebhookRowFragment) {
  const state = health?.state
  const isFailing = state === 'ON_HOLD' || state === 'FAILING' || state === 'DEGRADED'
  return (
    <>
      <WebhookState enabled={enabled} health={health} />
      {isFailing && lastFailure && <span className="ph-below">{causeOf(lastFailure)}</span>}
      {state === 'BEHIND' && health?.behindCause && (
        <span className="ph-below">{BEHIND_CAUSES[health.behindCause].label}</span>
      )}
    </>
  )
}
