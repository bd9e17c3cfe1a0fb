import { Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useRead } from '../../api/use-read.ts'
import { type Column, List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { Section } from '../../components/page/section.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../format.ts'
import { RecoveryListDocument, type RecoveryRowFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { RecoveryStateBadge } from './recovery-state-badge.tsx'

const REFRESH_EVERY_MS = 3_000

const INCLUDES = {
  ALL: t('webhooks:includeField.all'),
  FAILED: t('webhooks:includeField.failed'),
  MISSED: t('webhooks:includeField.missed'),
}

const COLUMNS: readonly Column<RecoveryRowFragment>[] = [
  { label: t('webhooks:pastRecoveries.started'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    label: t('webhooks:pastRecoveries.eventsPublished'),
    cell: ({ since, until }) => (
      <Text size="sm">
        <Time at={since} /> {t('webhooks:pastRecoveries.to')} <Time at={until} />
      </Text>
    ),
  },
  { label: t('webhooks:pastRecoveries.deliveries'), cell: ({ include }) => INCLUDES[include] },
  {
    label: t('webhooks:pastRecoveries.state'),
    width: 200,
    cell: (recovery) => <RecoveryStateBadge recovery={recovery} />,
  },
  {
    label: t('webhooks:pastRecoveries.queued'),
    end: true,
    width: 100,
    cell: ({ redelivered, created }) => formatCount(redelivered + created),
  },
  {
    label: t('webhooks:pastRecoveries.delivered'),
    end: true,
    width: 100,
    cell: ({ succeeded }) => formatCount(succeeded),
  },
  {
    label: t('webhooks:pastRecoveries.failed'),
    end: true,
    width: 90,
    cell: ({ exhausted }) => formatCount(exhausted),
  },
]

/** The recoveries of a webhook, including a running one. */
export function PastRecoveries({ webhookId }: { webhookId: string }) {
  const cursors = useCursors(10)
  const { data, error, stale, reload } = useRead(
    RecoveryListDocument,
    { id: webhookId, ...cursors.variables },
    { context: useMemo(() => ({ additionalTypenames: ['Recovery'] }), []) },
  )
  const recoveries = data?.webhook?.recoveries
  const runs =
    recoveries?.nodes.some(({ state, unfinished }) => state === 'RUNNING' || unfinished > 0) ??
    false
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(reload, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [runs, reload])
  return (
    <Section title={t('webhooks:pastRecoveries.title')}>
      <List
        label={t('webhooks:pastRecoveries.title')}
        columns={COLUMNS}
        rows={recoveries?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `?recovery=${id}`}
        error={error}
        stale={stale}
        retry={reload}
        empty={
          <Text size="sm" c="dimmed">
            {t('webhooks:pastRecoveries.empty')}
          </Text>
        }
        pages={{ info: recoveries?.pageInfo, cursors }}
      />
    </Section>
  )
}
