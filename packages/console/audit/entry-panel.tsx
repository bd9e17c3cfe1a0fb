import { Anchor, Group, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { NodePanel } from '../components/node-panel.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Time } from '../components/time.tsx'
import { AuditLogEntryDocument, type AuditLogEntryQuery } from '../generated/graphql.ts'
import { Actor, type Actors, personKey } from './actor.tsx'
import { actionLabel, sourceLabel } from './audit-options.ts'
import { FieldChanges } from './field-changes.tsx'
import { Subject } from './subject.tsx'

type Entry = Extract<NonNullable<AuditLogEntryQuery['node']>, { __typename: 'AuditEntry' }>

interface EntryPanelProps {
  /** The open entry, if any. */
  readonly id: string | null
  readonly actors: Actors
  onClose(): void
}

/** One entry: its actor, and the fields before and after. */
export function EntryPanel({ id, actors, onClose }: EntryPanelProps) {
  const { data, error, reload } = useRead(
    AuditLogEntryDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const node = data?.node
  const entry = node?.__typename === 'AuditEntry' && node.id === id ? node : null
  return (
    <NodePanel
      opened={id !== null}
      onClose={onClose}
      size="xl"
      title={entry ? actionLabel(entry.action) : 'Audit log entry'}
      error={error}
      reload={reload}
      missing={node === null && 'This entry does not exist, or is past its retention period.'}
    >
      {entry && <EntryDetails entry={entry} actors={actors} />}
    </NodePanel>
  )
}

function EntryDetails({ entry, actors }: { entry: Entry; actors: Actors }) {
  const { action, subjectId, apiKeyId, person, source, address, forwardedFor, userAgent } = entry
  return (
    <Stack gap="xl">
      <Facts
        facts={[
          { label: 'Time', value: <Time at={entry.createdAt} /> },
          {
            label: 'Target',
            value: (
              <Subject
                action={action}
                id={subjectId}
                name={entry.subjectName}
                deleted={entry.subjectDeleted}
              />
            ),
          },
          {
            label: 'Actor',
            value: <Actor apiKeyId={apiKeyId} person={person} source={source} actors={actors} />,
          },
          { label: 'Source', value: sourceLabel(source) },
          address ? { label: 'Address', value: address } : null,
          forwardedFor ? { label: 'Forwarded for', value: forwardedFor } : null,
          userAgent ? { label: 'User agent', value: userAgent } : null,
          { label: 'Action code', value: <span className="ph-mono">{action}</span> },
        ]}
      />
      <FieldChanges before={entry.before} after={entry.after} />
      <Group gap="lg">
        <Anchor component={Link} to={`/audit-log?subject=${subjectId}`} size="sm">
          All changes of this target
        </Anchor>
        {apiKeyId && (
          <Anchor component={Link} to={`/audit-log?key=${apiKeyId}`} size="sm">
            All changes with this API key
          </Anchor>
        )}
        {person && (
          <Anchor
            component={Link}
            to={`/audit-log?person=${encodeURIComponent(personKey(person))}`}
            size="sm"
          >
            {`All changes by ${person}`}
          </Anchor>
        )}
      </Group>
    </Stack>
  )
}
