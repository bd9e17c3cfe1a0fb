import { useMutation, useQuery } from '@apollo/client/react'
import { errorsOf, type WebhookInput } from '../../shared/form.ts'
import { Loading } from '../../shared/react/start.tsx'
import { WebhookForm } from '../../shared/react/webhook-form.tsx'
import { CreateWebhook, EventTypes, UpdateWebhook, Webhooks } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'

export interface FormProps {
  readonly webhook: WebhookRowFragment | null
  readonly onClose: () => void
}

export function Form({ webhook, onClose }: FormProps) {
  const { data, error } = useQuery(EventTypes)
  const [create] = useMutation(CreateWebhook, { refetchQueries: [Webhooks] })
  const [update] = useMutation(UpdateWebhook)
  if (!data) {
    if (error) throw error
    return <Loading />
  }

  async function save(input: WebhookInput) {
    const saved = webhook
      ? await update({ variables: { id: webhook.id, input } })
      : await create({ variables: { input } })
    if (!saved.data) throw saved.error
    const { result } = saved.data
    return 'webhook' in result ? {} : errorsOf(result)
  }
  return (
    <WebhookForm webhook={webhook} eventTypes={data.eventTypes} save={save} onClose={onClose} />
  )
}
