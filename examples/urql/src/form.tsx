import { useMutation } from 'urql'
import { errorsOf, type WebhookInput } from '../../shared/form.ts'
import { Loading } from '../../shared/react/start.tsx'
import { WebhookForm } from '../../shared/react/webhook-form.tsx'
import { CreateWebhook, EventTypes, UpdateWebhook } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'
import { useData } from './use-data.ts'

export interface FormProps {
  readonly webhook: WebhookRowFragment | null
  readonly onClose: () => void
}

export function Form({ webhook, onClose }: FormProps) {
  const data = useData({ query: EventTypes })
  const [, create] = useMutation(CreateWebhook)
  const [, update] = useMutation(UpdateWebhook)
  if (!data) return <Loading />

  async function save(input: WebhookInput) {
    const saved = webhook ? await update({ id: webhook.id, input }) : await create({ input })
    if (!saved.data) throw saved.error
    const { result } = saved.data
    return 'webhook' in result ? {} : errorsOf(result)
  }
  return (
    <WebhookForm webhook={webhook} eventTypes={data.eventTypes} save={save} onClose={onClose} />
  )
}
