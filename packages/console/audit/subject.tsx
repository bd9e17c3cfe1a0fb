import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { pageOfId } from '../shell/page-of-id.ts'

interface SubjectProps {
  readonly action: string
  readonly id: string
  readonly name?: string | null
  /** Whether the object is a deleted webhook, which has no page. */
  readonly deleted: boolean
}

/** The name and the id of the changed object, with a link to its page if it has one. */
export function Subject({ action, id, name, deleted }: SubjectProps) {
  const page = deleted ? null : pageOfSubject(action, id)
  // The name of an event type is its id.
  if (!name || name === id) {
    return (
      <span className="ph-mono">
        <Linked to={page}>{id}</Linked>
      </span>
    )
  }
  return (
    <Linked to={page}>
      {name}{' '}
      <Text span c="dimmed" fz="xs" className="ph-mono">
        {id}
      </Text>
    </Linked>
  )
}

function Linked({ to, children }: { to: string | null; children: ReactNode }) {
  if (to === null) return children
  return (
    <Anchor component={Link} to={to} inherit>
      {children}
    </Anchor>
  )
}

function pageOfSubject(action: string, id: string): string | null {
  if (action.startsWith('event_type.')) return `/event-types/${id}`
  if (action.startsWith('api_key.') || action.startsWith('session.')) return `/api-keys?key=${id}`
  if (action.startsWith('consumer.')) return `/consumers?consumer=${id}`
  return pageOfId(id)
}
