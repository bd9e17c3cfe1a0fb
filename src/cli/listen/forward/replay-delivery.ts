import { sign } from '../../../receiver/index.ts'
import type { GraphqlApi } from '../../graphql-api.ts'
import { signatureNames } from '../signature-names.ts'
import { createVerifier } from '../verifier.ts'
import { createForward } from './forward-delivery.ts'
import type { Header } from './send-local.ts'
import { readSecret } from './temporary-webhook.ts'

interface ReplayOptions {
  readonly url: URL
  readonly json?: true
  readonly save?: string
  /** Default: the secret of the delivery's webhook. */
  readonly secret?: readonly string[]
}

const DELIVERY = `
  query ($id: ID!) {
    delivery(id: $id) {
      webhookId
      attempts(first: 1) { nodes { request { headers { name value } body } } }
    }
  }`

const REVEAL_HEADERS = `
  mutation ($id: ID!) {
    revealHeaders(id: $id) {
      ... on RevealHeadersSuccess { headers { name value } }
      ... on UserError { code message }
    }
  }`

interface StoredDelivery {
  readonly webhookId: string
  readonly attempts: {
    readonly nodes: readonly {
      readonly request: { readonly headers: readonly Header[]; readonly body: string | null }
    }[]
  }
}

/** As in Posthorn without another setting. */
const TIME_LIMIT_MS = 15_000

/** The stored value of a custom header. */
const MASK = '•••'

/** Sends the request of a stored delivery again, with a new timestamp and signature. Throws unless the answer is 2xx. */
export async function replayDelivery(
  api: GraphqlApi,
  id: string,
  { url, secret: secrets, ...options }: ReplayOptions,
): Promise<void> {
  const delivery = await api.run<StoredDelivery | null>(DELIVERY, { id })
  if (!delivery) throw new Error(`There is no delivery ${JSON.stringify(id)}.`)
  const [attempt] = delivery.attempts.nodes
  if (!attempt) throw new Error(`The delivery ${id} has no attempt yet, so nothing was sent.`)
  const { headers: stored, body: text } = attempt.request
  if (text === null) {
    throw new Error(
      `The event of the delivery ${id} is past its retention or erased, so its body is gone.`,
    )
  }
  const names = signatureNames(stored)
  if (!names) throw new Error(`The delivery ${id} was never signed, so nothing was sent.`)
  const secret = secrets?.[0] ?? (await readSecret(api, delivery.webhookId))
  const body = Buffer.from(text)
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = (await withValues(api, delivery.webhookId, stored)).map(({ name, value }) => {
    return { name, value: name.toLowerCase() === names.timestamp ? timestamp : value }
  })
  const signature = await sign(secret, id, timestamp, body)
  const signed = headers.map((header) =>
    header.name.toLowerCase() === names.signature ? { ...header, value: signature } : header,
  )
  const forward = createForward({
    ...{ ...options, url, headerPrefix: names.prefix },
    verifier: createVerifier([secret], names.prefix),
  })
  const answer = await forward(
    { headers: signed, body, timeLimitMs: TIME_LIMIT_MS },
    async () => null,
  )
  const succeeded = answer.kind === 'answered' && answer.status < 300
  if (!succeeded) process.exitCode = 1
}

/** An attempt does not store the values of custom headers: they can be credentials. */
async function withValues(
  api: GraphqlApi,
  webhookId: string,
  headers: readonly Header[],
): Promise<readonly Header[]> {
  if (!headers.some(({ value }) => value === MASK)) return headers
  const revealed = await api.run<{ headers: readonly Header[] }>(REVEAL_HEADERS, { id: webhookId })
  const values = new Map(revealed.headers.map(({ name, value }) => [name, value]))
  return headers.flatMap(({ name, value }) =>
    value === MASK ? { name, value: values.get(name) ?? '' } : { name, value },
  )
}
