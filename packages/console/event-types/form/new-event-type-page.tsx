import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { notifySuccess } from '../../components/notify.ts'
import { Page } from '../../components/page/page.tsx'
import { EventTypesCreateDocument } from '../../generated/graphql.ts'
import { EventTypeForm } from './event-type-form.tsx'

const EMPTY_DRAFT = {
  name: '',
  description: '',
  schema: '',
  example: '',
  searchKeys: '',
  retentionDays: '',
}

export default function NewEventTypePage() {
  const navigate = useNavigate()
  const { run, running } = useAction(EventTypesCreateDocument)
  return (
    <Page
      title="Create event type"
      breadcrumbs={[['Event types', '/event-types']]}
      description="All organizations can publish and subscribe to the new event type."
    >
      <EventTypeForm
        initial={EMPTY_DRAFT}
        exists={false}
        running={running}
        back="/event-types"
        onSave={async (input) => {
          const outcome = await run({ input })
          if (outcome.ok) {
            notifySuccess(`${input.name} was created.`)
            navigate(`/event-types/${input.name}`, { replace: true })
          }
          return outcome
        }}
      />
    </Page>
  )
}
