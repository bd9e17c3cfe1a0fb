import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column } from '../../components/lists/list.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { countOf } from '../../lib/count-of.ts'
import { formatPercent, hostAndPath } from '../../lib/format.ts'
import { causeOf } from '../health/cause.ts'
import { WebhookState } from '../health/webhook-state.tsx'
import { webhookName } from '../webhook-name.ts'

type Columns = readonly Column<WebhookRowFragment>[]

/** The columns of the list of webhooks, with their health for viewers who may see it. */
export const webhookColumns = (withHealth: boolean): Columns => [
  {
    label: t('Webhook'),
    width: '36%',
    grow: true,
    order: { value: 'NAME', direction: 'ascending' },
    cell: (webhook) => (
      <>
        {webhookName(webhook)}
        <Below>{hostAndPath(webhook.url)}</Below>
      </>
    ),
  },
  {
    label: t('State'),
    width: '34%',
    grow: true,
    cell: (webhook) => (
      <>
        <WebhookState {...webhook} />
        <Below>{causeOf(webhook)}</Below>
      </>
    ),
  },
  ...(withHealth ? HEALTH : []),
  {
    label: t('Subscribes to'),
    width: '16%',
    grow: true,
    priority: 3,
    cell: ({ eventSubscriptions }) => (
      <Text span size="xs" className="ph-mono">
        {eventSubscriptions.map(({ name }) => name).join(', ')}
      </Text>
    ),
  },
]

const HEALTH: Columns = [
  {
    label: t('Waiting'),
    end: true,
    order: { value: 'MOST_WAITING', direction: 'descending' },
    cell: ({ backlog }) => backlog && countOf(backlog.count),
  },
  {
    label: t('Success rate'),
    end: true,
    priority: 2,
    cell: ({ health }) =>
      typeof health?.successRate === 'number' ? formatPercent(health.successRate) : '–',
  },
  {
    label: t('Last success'),
    end: true,
    priority: 2,
    cell: ({ health }) =>
      health?.lastSuccessAt ? <Time at={health.lastSuccessAt} as="relative" /> : t('None yet'),
  },
]

/** A second, smaller line. */
const Below = ({ children }: { children: ReactNode }) => (
  <Text component="span" display="block" size="xs" c="dimmed" fw={400} truncate>
    {children}
  </Text>
)
