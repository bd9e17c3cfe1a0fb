import type { GraphqlApi } from '../../graphql-api.ts'
import { ServerError } from '../../send-request.ts'

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
      ... on UserError { code message }
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
  const { webhook } = await explainScopes(api.run<{ webhook: TemporaryWebhook }>(CREATE, { input }))
  const failures: string[] = []
  try {
    await run({ ...webhook, secret: await readSecret(api, webhook.id) })
  } catch (error) {
    failures.push((error as Error).message)
  }
  await api.run(DELETE, { id: webhook.id }).catch((error: Error) => {
    failures.push(
      `The webhook ${webhook.id} could not be deleted, and expires in a few minutes: ${error.message}`,
    )
  })
  if (failures.length > 0) throw new Error(failures.join(' '))
}

/** The current signing secret of a webhook, `whsec_…`. */
export async function readSecret(api: GraphqlApi, webhookId: string): Promise<string> {
  const webhook = await explainScopes(
    api.run<{ signingSecret: { key: string } | null } | null>(SECRET, { id: webhookId }),
  )
  if (webhook?.signingSecret) return webhook.signingSecret.key
  throw new Error(`The webhook ${webhookId} was deleted, with its secret. Give one with --secret.`)
}

async function explainScopes<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ServerError) || error.code === null) throw error
    const text = [error.message, REMEDIES[error.code]].filter(Boolean).join(' ')
    throw new ServerError(text, error.code)
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Set POSTHORN_API_KEY to a valid key, or give --key-file.',
  FORBIDDEN:
    '--forward needs a key with the scopes webhooks:read, webhooks:write and secrets:read.',
  GRAPHQL_VALIDATION_FAILED: 'The server is older than this command: it cannot forward.',
}
