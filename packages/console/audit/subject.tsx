import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { AuditRowFragment } from '../generated/graphql.ts'

/** The name and the id of the changed object, with a link to its page if it has one. */
export function Subject({ entry }: { entry: AuditRowFragment }) {
  const { subjectId, subjectName } = entry
  const page = pageOf(entry)
  const id = (
    <Text span c="dimmed" fz="xs" className="ph-mono">
      {subjectId}
    </Text>
  )
  // The name of an event type is its id.
  const shown =
    subjectName && subjectName !== subjectId ? (
      <>
        {subjectName} {id}
      </>
    ) : (
      id
    )
  if (page === undefined) return shown
  return (
    <Anchor component={Link} to={page + subjectId} inherit>
      {shown}
    </Anchor>
  )
}

/** The pages of objects, by the prefixes of their ids. */
const PAGES: Readonly<Record<string, string>> = {
  wh: '/webhooks/',
  msg: '/deliveries/',
  task: '/tasks/',
  key: '/api-keys?key=',
  con: '/consumers?consumer=',
}

function pageOf({ action, subjectId, subjectDeleted }: AuditRowFragment): string | undefined {
  if (subjectDeleted) return undefined
  if (action.startsWith('event_type.')) return '/event-types/'
  return { ...PAGES }[subjectId.split('_')[0] ?? '']
}
