import { Text } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { formatCount, formatDuration, formatPercent, plural } from '../../lib/format.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { BEHIND_CAUSES } from '../health/behind-causes.ts'
import { causeOf } from '../health/last-failure.tsx'
import { WebhookState } from '../health/webhook-state.tsx'
import { webhookName } from '../webhook-name.ts'

/** The columns of the webhook list, with health for viewers who may see it. */
export function webhookColumns(withHealth: boolean): readonly Column<WebhookRowFragment>[] {
  return withHealth
    ? [...BASE_COLUMNS, ...HEALTH_COLUMNS, SUBSCRIPTIONS]
    : [...BASE_COLUMNS, SUBSCRIPTIONS]
}

const BASE_COLUMNS: readonly Column<WebhookRowFragment>[] = [
  {
    label: 'Webhook',
    width: '40%',
    cell: (webhook) => (
      <>
        {webhookName(webhook)}{' '}
        <Text span size="xs" c="dimmed" fw={400}>
          {maskUrl(webhook.url)}
        </Text>
      </>
    ),
  },
  { label: 'State', grow: true, width: '34%', cell: (webhook) => <State {...webhook} /> },
]

const HEALTH_COLUMNS: readonly Column<WebhookRowFragment>[] = [
  {
    label: 'Success rate',
    end: true,
    cell: ({ health }) =>
      health && (
        <span
          title={`Of ${formatCount(health.attempts)} ${plural(health.attempts, 'attempt', 'attempts')}`}
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
    label: 'Last success',
    end: true,
    priority: 2,
    cell: ({ health }) =>
      health &&
      (health.lastSuccessAt ? <Time at={health.lastSuccessAt} as="relative" /> : 'None yet'),
  },
]

const SUBSCRIPTIONS: Column<WebhookRowFragment> = {
  label: 'Subscribes to',
  grow: true,
  width: '26%',
  priority: 3,
  cell: ({ eventSubscriptions }) => (
    <Text span size="xs" className="ph-mono">
      {eventSubscriptions.map(({ name }) => name).join(', ')}
    </Text>
  ),
}

/** The state and, in trouble, the cause. */
function State({ enabled, health, lastFailure }: WebhookRowFragment) {
  const state = health?.state
  const isFailing = state === 'ON_HOLD' || state === 'FAILING' || state === 'DEGRADED'
  return (
    <>
      <WebhookState enabled={enabled} {...(health && { health })} />
      {isFailing && lastFailure && (
        <Text span size="xs" c="dimmed" ms={8}>
          {causeOf(lastFailure)}
        </Text>
      )}
      {state === 'BEHIND' && health?.behindCause && (
        <Text span size="xs" c="dimmed" ms={8}>
          {BEHIND_CAUSES[health.behindCause].label}
        </Text>
      )}
    </>
  )
}
