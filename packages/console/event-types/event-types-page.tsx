import { Button, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import type { EventTypesCatalogueQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { eventTypesQuery } from './event-type-queries.ts'

type EventType = EventTypesCatalogueQuery['eventTypes'][number]

/** Shown only beside archived event types. */
const STATE: Column<EventType> = {
  label: t('State'),
  cell: ({ archivedAt }) =>
    archivedAt ? (
      <StateBadge label={t('Archived')} color="gray" />
    ) : (
      <StateBadge label={t('Active')} color="green" />
    ),
  width: 110,
}

const COLUMNS: readonly Column<EventType>[] = [
  { label: t('Name'), cell: ({ name }) => <span className="ph-mono">{name}</span> },
  {
    label: t('Description'),
    cell: ({ description }) => (
      <Text size="sm" c="dimmed" span>
        {description}
      </Text>
    ),
    grow: true,
    priority: 2,
  },
  STATE,
  {
    label: t('Updated'),
    cell: ({ updatedAt }) => <Time at={updatedAt} as="relative" />,
    width: 130,
    priority: 3,
  },
]

export default function EventTypesPage() {
  const { can } = useSession()
  const { values, set, clear } = useFilters(['q', 'archived'])
  const { data, error, reload } = usePageQuery(eventTypesQuery)
  const wanted = (values.q ?? '').trim().toLowerCase()
  const kinds = data?.eventTypes.filter(({ archivedAt }) => values.archived || archivedAt === null)
  const rows = kinds?.filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(wanted),
  )
  const create = can('admin') && (
    <Button component={Link} to="/event-types/new" leftSection={<IconPlus size={16} />}>
      Create event type
    </Button>
  )
  return (
    <Page
      title={t('Event types')}
      description={t(
        'The types of events that applications publish, and that webhooks subscribe to.',
      )}
      actions={create}
    >
      <FilterBar active={values.q !== null} clear={clear}>
        <SearchField
          label={t('Name or description')}
          placeholder="Contains"
          w={260}
          value={values.q ?? ''}
          onChange={(q) => set({ q })}
        />
        <Switch
          label="Show archived"
          checked={values.archived !== null}
          onChange={(event) => set({ archived: event.currentTarget.checked ? 'shown' : null })}
          mb={5}
        />
      </FilterBar>
      <List
        label={t('Event types')}
        columns={values.archived ? COLUMNS : COLUMNS.filter((column) => column !== STATE)}
        rows={rows}
        keyOf={({ name }) => name}
        to={({ name }) => `/event-types/${name}`}
        error={error}
        reload={reload}
        empty={
          kinds?.length ? (
            <NoMatches noun="event type" clear={clear} />
          ) : (
            <EmptyState title={t('No event types')} action={create}>
              {can('admin')
                ? 'Create an event type, so that applications can publish events and webhooks can subscribe to them.'
                : 'Your Posthorn operator creates event types.'}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
