import { type ReactNode, useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import {
  type AuditFilter,
  AuditLogPageDocument,
  type AuditRowFragment,
} from '../generated/graphql.ts'
import { type Actors, actorName, actorOf, useActors } from './actors.ts'
import { actionLabel, SOURCES } from './audit-actions.ts'
import { EntryPanel, Subject } from './entry-panel.tsx'

const columns = (actors: Actors): readonly Column<AuditRowFragment>[] => [
  { label: 'Action', cell: ({ action }) => actionLabel(action), width: '18%' },
  { label: 'Target', cell: (entry) => <Subject entry={entry} />, grow: true },
  {
    label: 'Actor',
    cell: (entry) => actorName(actorOf(entry), actors),
    grow: true,
    width: '22%',
  },
  {
    label: 'Source',
    cell: ({ source, address }) => (address ? `${address}, ${SOURCES[source]}` : SOURCES[source]),
    width: '18%',
    priority: 3,
  },
  { label: 'Time', cell: ({ createdAt }) => <Time at={createdAt} as="relative" />, width: 120 },
]

interface AuditListProps {
  readonly label: string
  readonly filter: AuditFilter
  readonly empty: ReactNode
  /** While filters of the reader are active. */
  readonly clearFilters?: false | (() => void)
}

/** The changes that match, newest first. Each opens beside the list. */
export function AuditList({ label, filter, ...whenEmpty }: AuditListProps) {
  const cursors = useCursors()
  const opened = usePanel('entry')
  const actors = useActors()
  const { data, ...read } = useRead(AuditLogPageDocument, { filter, ...cursors.variables })
  const shown = useMemo(() => columns(actors), [actors])
  return (
    <>
      <List
        label={label}
        columns={filter.subjectIds ? shown.filter(({ label: name }) => name !== 'Target') : shown}
        rows={data?.auditLog?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        {...read}
        pages={{ info: data?.auditLog?.pageInfo, cursors }}
        {...whenEmpty}
      />
      <EntryPanel id={opened.id} actors={actors} onClose={opened.close} />
    </>
  )
}
