import { graphql, useLazyLoadQuery, useMutation } from 'react-relay'
import { ConnectionHandler, ROOT_ID } from 'relay-runtime'
import { errorsOf, type FormErrors, type UserError, type WebhookInput } from '../../shared/form.ts'
import { WebhookForm } from '../../shared/react/webhook-form.tsx'
import type { formCreateMutation } from './__generated__/formCreateMutation.graphql.ts'
import type { formEventTypesQuery } from './__generated__/formEventTypesQuery.graphql.ts'
import type { formUpdateMutation } from './__generated__/formUpdateMutation.graphql.ts'
import { CONNECTION, type EditedWebhook } from './webhooks.tsx'

export interface FormProps {
  readonly webhook: EditedWebhook | null
  readonly onClose: () => void
}

interface Response {
  readonly result?: (UserError & { readonly webhook?: unknown }) | null | undefined
}

export function Form({ webhook, onClose }: FormProps) {
  const { eventTypes } = useLazyLoadQuery<formEventTypesQuery>(
    graphql`
      query formEventTypesQuery {
        eventTypes {
          name
        }
      }
    `,
    {},
  )
  const [create] = useMutation<formCreateMutation>(graphql`
    mutation formCreateMutation($input: CreateWebhookInput!, $connections: [ID!]!) {
      result: createWebhook(input: $input) {
        ... on CreateWebhookSuccess {
          webhook @appendNode(connections: $connections, edgeTypeName: "WebhookEdge") {
            ...webhooks_row
          }
        }
        ... on UserError {
          message
        }
        ... on ValidationError {
          issues {
            path
            message
          }
        }
      }
    }
  `)
  const [update] = useMutation<formUpdateMutation>(graphql`
    mutation formUpdateMutation($id: ID!, $input: UpdateWebhookInput!) {
      result: updateWebhook(id: $id, input: $input) {
        ... on UpdateWebhookSuccess {
          webhook {
            ...webhooks_row
          }
        }
        ... on UserError {
          message
        }
        ... on ValidationError {
          issues {
            path
            message
          }
        }
      }
    }
  `)

  const save = (input: WebhookInput) =>
    new Promise<FormErrors>((resolve, reject) => {
      const outcome = {
        onError: reject,
        onCompleted({ result }: Response, errors: readonly { message: string }[] | null) {
          if (!result) reject(new Error(errors?.[0]?.message))
          else resolve(result.webhook ? {} : errorsOf(result))
        },
      }
      const connections = [ConnectionHandler.getConnectionID(ROOT_ID, CONNECTION)]
      if (webhook) update({ variables: { id: webhook.id, input }, ...outcome })
      else create({ variables: { input, connections }, ...outcome })
    })
  return <WebhookForm webhook={webhook} eventTypes={eventTypes} save={save} onClose={onClose} />
}
