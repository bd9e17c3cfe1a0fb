import { useState } from 'react'
import { RelayEnvironmentProvider } from 'react-relay'
import { Part, start } from '../../shared/react/start.tsx'
import type { Session } from '../../shared/session.ts'
import { Attempts } from './attempts.tsx'
import { createEnvironment } from './environment.ts'
import { Form } from './form.tsx'
import { type EditedWebhook, Webhooks } from './webhooks.tsx'

function Page({ session }: { session: Session }) {
  const [edited, edit] = useState<EditedWebhook | null>(null)
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

start('Relay', (session) => (
  <RelayEnvironmentProvider environment={createEnvironment(session)}>
    <Page session={session} />
  </RelayEnvironmentProvider>
))
