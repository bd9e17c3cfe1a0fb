import { ApiError, type GraphqlApi } from './graphql-api.ts'

export interface TemporaryWebhook {
  readonly id: string
  readonly eventSubscriptions: readonly { readonly name: string }[]
  readonly deliveryHeaderPrefix: string
  readonly secret: string
}

const CREATE = `
  mutation ($input: CreateForwardedWebhookInput!) {
    createForwardedWebhook(input: $input) {
      ... on CreateForwardedWebhookSuccess { webhook { id eventSubscriptions { name } deliveryHeaderPrefix } }
      ... on UserError { message }
    }
  }`

const SECRET = 'query ($id: ID!) { webhook(id: $id) { signingSecret { key } } }'

const DELETE = `
  mutation ($id: ID!) {
    deleteWebhook(id: $id) { ... on NotFoundError { code } }
  }`

/** Registers a temporary webhook, calls `run`, and deletes the webhook afterwards, even if `run` fails. */
export async function withTemporaryWebhook(
  api: GraphqlApi,
  input: { readonly eventSubscriptions?: readonly string[]; readonly description: string },
  run: (webhook: TemporaryWebhook) => Promise<void>,
): Promise<void> {
  const { createForwardedWebhook: created } = await explainScopes(
    api.call<{ createForwardedWebhook: { webhook?: TemporaryWebhook; message?: string } }>(CREATE, {
      input,
    }),
  )
  const { webhook, message } = created
  if (!webhook) throw new Error(message ?? 'The webhook was not created.')
  const failures: string[] = []
  try {
    await run({ ...webhook, secret: await readSecret(api, webhook.id) })
  } catch (error) {
    failures.push((error as Error).message)
  }
  await api.call(DELETE, { id: webhook.id }).catch((error: Error) => {
    failures.push(
      `The webhook ${webhook.id} could not be deleted, and expires in a few minutes: ${error.message}`,
    )
  })
  if (failures.length > 0) throw new Error(failures.join(' '))
}

/** The current signing secret of a webhook, `whsec_…`. */
export async function readSecret(api: GraphqlApi, webhookId: string): Promise<string> {
  const { webhook } = await explainScopes(
    api.call<{ webhook: { signingSecret: { key: string } | null } | null }>(SECRET, {
      id: webhookId,
    }),
  )
  if (webhook?.signingSecret) return webhook.signingSecret.key
  throw new Error(`The webhook ${webhookId} was deleted, with its secret. Give one with --secret.`)
}

async function explainScopes<Data>(call: Promise<Data>): Promise<Data> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError(error.code, [error.message, REMEDIES[error.code]].filter(Boolean).join(' '))
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Give a valid key with --key.',
  FORBIDDEN:
    '--forward needs a key with the scopes webhooks:read, webhooks:write and secrets:read.',
  GRAPHQL_VALIDATION_FAILED: 'The server is older than this command: it cannot forward.',
}
