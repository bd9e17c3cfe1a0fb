import { useState } from 'react'
import { Provider } from 'urql'
import { Part, start } from '../../shared/react/start.tsx'
import type { Session } from '../../shared/session.ts'
import { Attempts } from './attempts.tsx'
import { createClient } from './client.ts'
import { Form } from './form.tsx'
import type { WebhookRowFragment } from './generated/graphql.ts'
import { Webhooks } from './webhooks.tsx'

function Page({ session }: { session: Session }) {
  const [edited, edit] = useState<WebhookRowFragment | null>(null)
  return (
    <>
      <Part>
        <Webhooks session={session} onEdit={edit} />
      </Part>
      <Part>
        <Form key={edited?.id} webhook={edited} onClose={() => edit(null)} />
      </Part>
      <Part>
        <Attempts session={session} />
      </Part>
    </>
  )
}

start('urql', (session) => (
  <Provider value={createClient(session)}>
    <Page session={session} />
  </Provider>
))
