import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { pageOfId } from '../shell/page-of-id.ts'

interface SubjectProps {
  readonly action: string
  readonly id: string
}

/** The id of the changed object, with a link to its page if it has one. */
export function Subject({ action, id }: SubjectProps) {
  const page = pageOfSubject(action, id)
  if (page === null) return <span className="ph-mono">{id}</span>
  return (
    <Anchor component={Link} to={page} className="ph-mono" inherit>
      {id}
    </Anchor>
  )
}

/** A deleted webhook has no page. */
function pageOfSubject(action: string, id: string): string | null {
  if (action === 'webhook.deleted') return null
  if (action.startsWith('event_type.')) return `/event-types/${id}`
  if (action.startsWith('api_key.') || action.startsWith('session.')) return `/api-keys?key=${id}`
  return pageOfId(id)
}
