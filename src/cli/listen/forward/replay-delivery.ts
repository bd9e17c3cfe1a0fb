import { sign } from '../../../receiver/index.ts'
import { run, type ServerAccess } from '../../api.ts'
import { signatureNames } from '../signature-names.ts'
import { createVerifier, readSecret } from '../verifier.ts'
import { createForward } from './forward-delivery.ts'
import { createSendEvent, newSecret } from './forward-events.ts'
import type { Header, LocalAnswer } from './send-local.ts'

interface ReplayOptions {
  readonly url: URL
  readonly json?: true
  readonly save?: string
  /** Default: the secret of the delivery's webhook; for an event, a new one. */
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

/** The stored value of a custom header. */
const MASK = '•••'

/** Sends the request of a stored delivery again, with a new timestamp and signature. */
export async function replayDelivery(
  access: ServerAccess,
  id: string,
  { url, secret: secrets, ...options }: ReplayOptions,
): Promise<LocalAnswer> {
  const delivery = await run<StoredDelivery | null>(access, DELIVERY, { id })
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
  const secret = secrets?.[0] ?? (await readSecret(access, delivery.webhookId))
  const body = Buffer.from(text)
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = (await withValues(access, delivery.webhookId, stored)).map(({ name, value }) => {
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
  return await forward({ headers: signed, body })
}

/** Sends a stored event once more, as a delivery of it. */
export async function replayEvent(
  access: ServerAccess,
  headerPrefix: string,
  id: string,
  { secret: secrets, ...options }: ReplayOptions,
): Promise<LocalAnswer> {
  const secret = secrets?.[0] ?? newSecret()
  const answer = await createSendEvent(access, { ...options, headerPrefix, secret })(id)
  if (answer) return answer
  throw new Error(`There is no event ${JSON.stringify(id)}, or its data is gone.`)
}

/** An attempt does not store the values of custom headers: they can be credentials. */
async function withValues(
  access: ServerAccess,
  webhookId: string,
  headers: readonly Header[],
): Promise<readonly Header[]> {
  if (!headers.some(({ value }) => value === MASK)) return headers
  const revealed = await run<{ headers: readonly Header[] }>(access, REVEAL_HEADERS, {
    id: webhookId,
  })
  const values = new Map(revealed.headers.map(({ name, value }) => [name, value]))
  return headers.flatMap(({ name, value }) =>
    value === MASK ? { name, value: values.get(name) ?? '' } : { name, value },
  )
}
