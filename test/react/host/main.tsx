import { DeliveryLog, PosthornProvider, WebhookForm, WebhookList } from '@posthorn/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { HooksPage } from './hooks-page.tsx'

declare global {
  interface Window {
    /** The host's server, which the test plays. */
    requestToken(): Promise<string>
  }
}

const parameters = new URLSearchParams(location.search)
const webhookId = parameters.get('webhook') ?? undefined

function Page() {
  switch (parameters.get('page')) {
    case 'list':
      return <WebhookList pageSize={2} renderUrl={({ id, url }) => <a href={`#${id}`}>{url}</a>} />
    case 'form':
      return <WebhookForm webhookId={webhookId} />
    case 'hooks':
      return <HooksPage webhookId={webhookId ?? ''} />
    case 'form-and-list':
      return (
        <>
          <WebhookForm webhookId={webhookId} texts={{ save: 'Speichern' }} />
          <WebhookList />
        </>
      )
    default:
      return <DeliveryLog webhookId={webhookId} />
  }
}

function App() {
  const [isShown, setShown] = useState(true)
  return (
    <StrictMode>
      <h1>Your webhooks</h1>
      <button type="button" onClick={() => setShown(!isShown)}>
        {isShown ? 'Leave' : 'Return'}
      </button>
      <PosthornProvider
        url={`${parameters.get('posthorn')}/graphql`}
        getToken={() => window.requestToken()}
      >
        {isShown && <Page />}
      </PosthornProvider>
    </StrictMode>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(<App />)
