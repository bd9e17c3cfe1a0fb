import { Anchor, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import type { AuditLogPageQuery } from '../generated/graphql.ts'
import { Actor, type Actors } from './actor.tsx'
import { AuditFilters, useAuditFilters } from './audit-filters.tsx'
import { auditLogQuery } from './audit-log-query.ts'
import { actionLabel, DEFAULT_KINDS, sourceLabel } from './audit-options.ts'
import { EntryPanel } from './entry-panel.tsx'
import { Subject } from './subject.tsx'
import { useActors } from './use-actors.ts'

type Entry = NonNullable<AuditLogPageQuery['auditLog']>['nodes'][number]

const columns = (actors: Actors): readonly Column<Entry>[] => [
  { label: 'Action', cell: ({ action }) => actionLabel(action), width: '18%' },
  {
    label: 'Target',
    cell: ({ action, subjectId: id, subjectName: name, subjectDeleted: deleted }) => (
      <Subject action={action} id={id} name={name} deleted={deleted} />
    ),
    grow: true,
  },
  {
    label: 'Actor',
    cell: (entry) => <Actor {...entry} actors={actors} />,
    grow: true,
    width: '22%',
  },
  {
    label: 'Source',
    cell: ({ source, address }) => (address ? `${address}, ${sourceLabel(source)}` : '–'),
    width: '18%',
    priority: 3,
  },
  { label: 'Time', cell: ({ createdAt }) => <Time at={createdAt} as="relative" />, width: 120 },
]

export default function AuditLogPage() {
  const filters = useAuditFilters()
  const { filter, active, clear } = filters
  const cursors = useCursors()
  const opened = usePanel('entry')
  const actors = useActors()
  const { data, ...read } = useRead(
    auditLogQuery.query,
    { filter, ...cursors.variables },
    { context: auditLogQuery.context },
  )
  return (
    <Page
      title="Audit log"
      description="Every change in this organization, and every sign-in and sign-out of the console: the actor, the time and the source. Published events are not included; see Events."
    >
      <AuditFilters filters={filters} actors={actors} />
      {filter?.subjectKinds === DEFAULT_KINDS && (
        <Text size="xs" c="dimmed">
          Sessions, sign-ins and sign-outs are left out.{' '}
          <Anchor component={Link} to="/audit-log?kind=SESSION" inherit underline="always">
            Show them
          </Anchor>
        </Text>
      )}
      <List
        label="Changes, newest first"
        columns={useMemo(() => columns(actors), [actors])}
        rows={data?.auditLog?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        {...read}
        pages={{ info: data?.auditLog?.pageInfo, cursors }}
        empty={
          active ? (
            <NoMatches clear={clear} />
          ) : (
            <EmptyState title="No changes yet">
              Changes appear here, such as a new webhook or API key.
            </EmptyState>
          )
        }
      />
      <EntryPanel id={opened.id} actors={actors} onClose={opened.close} />
    </Page>
  )
}
