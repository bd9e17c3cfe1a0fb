import { createRoot } from 'react-dom/client'
import { Provider } from 'urql'
import { Attempts } from './attempts.tsx'
import { createClient } from './client.ts'
import { Webhooks } from './webhooks.tsx'

const root = createRoot(document.querySelector('main') as HTMLElement)
createClient().then(
  (client) =>
    root.render(
      <Provider value={client}>
        <h1>Webhooks</h1>
        <Webhooks />
        <Attempts />
      </Provider>,
    ),
  (error: Error) => root.render(<p role="alert">{error.message}</p>),
)
