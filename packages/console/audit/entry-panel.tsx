import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { Difference } from '../components/difference.tsx'
import { NodePanel } from '../components/node-panel.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Time } from '../components/time.tsx'
import { AuditLogEntryDocument, type AuditRowFragment } from '../generated/graphql.ts'
import { pageOfId } from '../lib/page-of-id.ts'
import { type Actors, actorName, actorOf } from './actors.ts'
import { actionLabel, SOURCES } from './audit-actions.ts'
import { fieldsAsText } from './fields-as-text.ts'

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
  const actor = entry && actorOf(entry)
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
      {entry && actor && (
        <Stack gap="xl">
          <Facts
            facts={[
              { label: 'Time', value: <Time at={entry.createdAt} /> },
              { label: 'Target', value: <Subject entry={entry} /> },
              { label: 'Actor', value: actorName(actor, actors) },
              { label: 'Source', value: SOURCES[entry.source] },
              entry.address != null && { label: 'Address', value: entry.address },
              entry.forwardedFor != null && { label: 'Forwarded for', value: entry.forwardedFor },
              entry.userAgent != null && { label: 'User agent', value: entry.userAgent },
              { label: 'Action code', value: <span className="ph-mono">{entry.action}</span> },
            ]}
          />
          {/* An action such as a redelivery changes no field. */}
          {(entry.before ?? entry.after) != null && <Changed {...entry} />}
          <Group gap="lg">
            <Anchor component={Link} to={`/audit-log?subject=${entry.subjectId}`} size="sm">
              All changes of this target
            </Anchor>
            <Anchor component={Link} to={`/audit-log?actor=${encodeURIComponent(actor)}`} size="sm">
              {`All changes by ${actorName(actor, actors)}`}
            </Anchor>
          </Group>
        </Stack>
      )}
    </NodePanel>
  )
}

function Changed({ before, after }: { readonly before?: unknown; readonly after?: unknown }) {
  const texts = { before: fieldsAsText(before), after: fieldsAsText(after) }
  if (texts.before !== texts.after) return <Difference label="Changed fields" {...texts} />
  return <Text size="sm">What has changed may be a credential, and is hidden here.</Text>
}

/** The name and the id of the changed object, with a link to its page if it has one. */
export function Subject({ entry }: { entry: AuditRowFragment }) {
  const { subjectId, subjectName } = entry
  const page = pageOf(entry)
  // The name of an event type is its id.
  const isNamed = subjectName != null && subjectName !== subjectId
  const id = (
    <Text span {...(isNamed && { c: 'dimmed' })} fz="xs" className="ph-mono">
      {subjectId}
    </Text>
  )
  const shown = isNamed ? (
    <>
      {subjectName} {id}
    </>
  ) : (
    id
  )
  if (page === null) return shown
  return (
    <Anchor component={Link} to={page} inherit>
      {shown}
    </Anchor>
  )
}

function pageOf({ action, subjectId, subjectDeleted }: AuditRowFragment): string | null {
  if (subjectDeleted) return null
  return pageOfId(action.startsWith('event_type.') ? `type_${subjectId}` : subjectId)
}
