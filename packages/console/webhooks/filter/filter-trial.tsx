import './filter.css'
import { Anchor, Badge, Group, Loader, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { CombinedError } from 'urql'
import { type Column, List } from '../../components/lists/list.tsx'
import { Notice } from '../../components/page/notice.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { Time } from '../../components/time.tsx'
import type { TryFilterQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { counted, formatCount } from '../../lib/format.ts'

type Trial = NonNullable<TryFilterQuery['testFilter']>
type Tried = Trial['events'][number]

interface FilterTrialProps {
  readonly trial: Trial | undefined
  /** Whether the filter is one, as far as the page knows. */
  readonly isComplete: boolean
  readonly isRunning: boolean
  readonly error: CombinedError | undefined
  reload(): void
}

/** What a filter would have done with the newest events, before the filter is saved. */
export function FilterTrial({ trial, isComplete, isRunning, error, reload }: FilterTrialProps) {
  const [shown, setShown] = useState('all')
  if (error && !trial) return <QueryError error={error} reload={reload} />
  const events = trial?.events ?? []
  const rows = events.filter(({ matches }) => shown === 'all' || matches === (shown === 'passes'))
  return (
    <Stack gap="sm" component="section" aria-label="Trial of the filter">
      <Group justify="space-between" gap="sm" mih={30}>
        <Group gap="xs" role="status">
          <Text size="sm" fw={600}>
            {trial?.issues.length === 0 ? sentenceOf(trial) : 'Trial of the filter'}
          </Text>
          {isRunning && <Loader size="xs" aria-hidden />}
        </Group>
        {events.length > 0 && (
          <SegmentedControl
            size="xs"
            aria-label="Events of the trial"
            data={[
              { value: 'all', label: 'All' },
              { value: 'passes', label: 'Match' },
              { value: 'refused', label: t('No match') },
            ]}
            value={shown}
            onChange={setShown}
          />
        )}
      </Group>
      {trial && trial.warnings.length > 0 && (
        <Notice color="yellow" title="By the schemas, a condition never holds">
          {trial.warnings.join(' ')}
        </Notice>
      )}
      {!isComplete && (
        <Text size="sm" c="dimmed">
          With complete conditions, the filter is tried on the last 100 events.
        </Text>
      )}
      {events.length > 0 && (
        <div className="ph-filter-trial">
          <List
            label="Events of the trial"
            columns={COLUMNS}
            rows={rows}
            keyOf={keyOf}
            reload={reload}
            empty={
              <Text size="sm" c="dimmed">
                None of the events.
              </Text>
            }
          />
        </div>
      )}
    </Stack>
  )
}

function sentenceOf({ matched, tested }: Trial): string {
  if (tested === 0) return 'There is no event of these types yet to try the filter on.'
  return `${formatCount(matched)} of the last ${counted(tested, 'event matches', 'events match')}`
}

const keyOf = ({ event, refusedBy }: Tried) => event?.id ?? `${refusedBy}`

const COLUMNS: readonly Column<Tried>[] = [
  {
    label: 'Event',
    width: '42%',
    cell: ({ event }) =>
      event ? (
        // A new tab: the form has what the reader typed.
        <Anchor component={Link} to={`/events/${event.id}`} target="_blank" inherit>
          {event.type.name}{' '}
          <Text span c="dimmed" fz="xs" className="ph-mono">
            {event.id}
          </Text>
        </Anchor>
      ) : (
        t('Deleted')
      ),
  },
  {
    label: 'Result',
    grow: true,
    cell: ({ matches, refusedBy }) =>
      matches ? (
        <Badge color="green" variant="light" c="var(--posthorn-on-green)">
          Match
        </Badge>
      ) : (
        <Text size="xs" component="span" style={{ whiteSpace: 'normal' }}>
          {refusedBy}
        </Text>
      ),
  },
  {
    label: 'Occurred',
    priority: 2,
    width: 120,
    cell: ({ event }) => event && <Time at={event.occurredAt} as="relative" />,
  },
]
