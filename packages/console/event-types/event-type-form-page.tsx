import { useParams } from 'react-router'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { EventTypeForm } from './event-type-form.tsx'
import { useEventType } from './use-event-type.ts'

const BREADCRUMBS = [['Event types', '/event-types']] as const

/** The page of a new event type or, with a name in the address, of one to edit. */
export default function EventTypeFormPage() {
  const { name } = useParams()
  const title = name ? `Edit ${name}` : 'Create event type'
  return (
    <NeedsScope scope="admin" title={title}>
      {name ? (
        <EditEventType name={name} title={title} />
      ) : (
        <Page
          title={title}
          breadcrumbs={BREADCRUMBS}
          description="All organizations can publish and subscribe to the new event type."
        >
          <EventTypeForm eventType={null} />
        </Page>
      )}
    </NeedsScope>
  )
}

function EditEventType({ name, title }: { readonly name: string; readonly title: string }) {
  const { eventType, missing, error, reload } = useEventType(name)
  if (missing) return <NotFoundPage noun="event type" />
  return (
    <Page
      title={title}
      breadcrumbs={[...BREADCRUMBS, [name, `/event-types/${name}`]]}
      description="Changes apply at once. Published events stay unchanged."
    >
      {eventType && <EventTypeForm key={name} eventType={eventType} />}
      {!eventType && (error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />)}
    </Page>
  )
}
