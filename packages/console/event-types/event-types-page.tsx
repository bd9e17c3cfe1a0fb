import { Button, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { EventTypesCatalogueDocument, type EventTypesCatalogueQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'

const COLUMNS: readonly Column<EventTypesCatalogueQuery['eventTypes'][number]>[] = [
  {
    label: t('Name'),
    cell: ({ name, archivedAt }) => (
      <>
        <span className="ph-mono">{name}</span>{' '}
        {archivedAt && <StateBadge label={t('Archived')} color="gray" />}
      </>
    ),
  },
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
  {
    label: t('Updated'),
    cell: ({ updatedAt }) => <Time at={updatedAt} as="relative" />,
    width: 130,
    priority: 3,
  },
]

/** An empty list changes too. */
const CONTEXT = { additionalTypenames: ['EventType'] }

export default function EventTypesPage() {
  const { can } = useSession()
  const { values, set, clear } = useFilters(['q', 'archived'])
  const { data, ...read } = useRead(EventTypesCatalogueDocument, {}, { context: CONTEXT })
  const wanted = (values.q ?? '').trim().toLowerCase()
  const kinds = data?.eventTypes.filter(({ archivedAt }) => values.archived || archivedAt === null)
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
        columns={COLUMNS}
        rows={kinds?.filter(({ name, description }) =>
          `${name}\n${description}`.toLowerCase().includes(wanted),
        )}
        keyOf={({ name }) => name}
        to={({ name }) => `/event-types/${name}`}
        {...read}
        clearFilters={kinds !== undefined && kinds.length > 0 && clear}
        empty={
          <EmptyState title={t('No event types')} action={create}>
            {can('admin')
              ? 'Create an event type, so that applications can publish events and webhooks can subscribe to them.'
              : 'Your Posthorn operator creates event types.'}
          </EmptyState>
        }
      />
    </Page>
  )
}
