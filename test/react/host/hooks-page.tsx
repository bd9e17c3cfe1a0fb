import {
  type Action,
  type PosthornError,
  useAttempts,
  useDeleteWebhook,
  useDeliveries,
  usePosthornMutation,
  usePosthornQuery,
  useRedeliver,
  useResumeWebhook,
  useSigningSecret,
  useTestDelivery,
  useWebhook,
} from '@posthorn/react'
import { useState } from 'react'

const EVENT_TYPE = 'event_attendee.joined_event'

/** A page of a host that uses the hooks alone. */
export function HooksPage({ webhookId }: { readonly webhookId: string }) {
  const { webhook, error } = useWebhook(webhookId)
  const deliveries = useDeliveries({ filter: { webhookIds: [webhookId] }, pageSize: 1 })
  const attempts = useAttempts({
    filter: { webhookIds: [webhookId], statusClasses: ['SUCCESS_2XX'] },
  })
  const own = usePosthornQuery<{ viewer: { session: { kind: string } } }, object>(
    '{ viewer { session { kind } } }',
    {},
  )
  const [isRevealed, setRevealed] = useState(false)
  const { secret, rotate } = useSigningSecret(webhookId, { isRevealed })
  const rename = usePosthornMutation<Renamed, { id: string }>(RENAME)
  const redeliver = useRedeliver()
  const [delivery] = deliveries.items ?? []
  return (
    <>
      <p id="webhook">{webhook ? `${webhook.url} ${webhook.description}` : error?.code}</p>
      <p id="session">{own.data?.viewer.session.kind}</p>
      <p id="delivery">{`${delivery?.id} ${deliveries.page} ${deliveries.hasNext}`}</p>
      <p id="attempts">{attempts.items?.length}</p>
      <p id="secret">{secret}</p>
      <button type="button" onClick={() => setRevealed(!isRevealed)}>
        Reveal
      </button>
      <button type="button" onClick={deliveries.next}>
        Older
      </button>
      <Change name="Test" action={useTestDelivery()} values={[webhookId, EVENT_TYPE]} />
      <Change name="Test nothing" action={useTestDelivery()} values={[webhookId, 'no.such']} />
      <Change name="Redeliver" action={redeliver} values={[delivery?.id ?? '']} />
      <Change name="Resume" action={useResumeWebhook()} values={[webhookId]} />
      <Change name="Rename" action={rename} values={[{ id: webhookId }]} />
      <Change name="Rotate" action={rotate} values={[]} />
      <Change name="Delete" action={useDeleteWebhook()} values={[webhookId]} />
    </>
  )
}

interface Renamed {
  readonly updateWebhook: { readonly __typename: 'UpdateWebhookSuccess' } | null
}

const RENAME = `mutation ($id: ID!) {
  updateWebhook(id: $id, input: { description: "Renamed" }) { __typename }
}`

interface ChangeProps<Values extends readonly unknown[]> {
  readonly name: string
  readonly action: Action<Values, unknown>
  readonly values: Values
}

function Change<Values extends readonly unknown[]>({ name, action, values }: ChangeProps<Values>) {
  const [outcome, setOutcome] = useState('')
  async function run() {
    const result = await action.run(...values)
    setOutcome(result.ok ? 'done' : describe(result.error))
  }
  return (
    <p>
      <button type="button" onClick={() => void run()}>
        {name}
      </button>
      <output data-of={name}>{outcome}</output>
    </p>
  )
}

function describe({ code, issues }: PosthornError): string {
  return [code, ...issues.map(({ path }) => path.join('.'))].join(' ')
}
