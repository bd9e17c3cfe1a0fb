import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { DeliveryRequest } from '../http/https-receiver.ts'
import { openHttpsReceiver } from '../http/https-receiver.ts'
import { verify } from '../receiver/index.ts'
import { findDeliverySecrets } from './delivery-secrets.ts'
import {
  addRequest,
  createInboxes,
  type Inbox,
  MAX_BODY_BYTES,
  type ReceivedRequest,
  setStatus,
} from './received-requests.ts'
import { afterRequest, type ResponseBehavior, responseOf } from './response-behavior.ts'

/**
 * An HTTPS receiver of embedded mode, to see deliveries arrive without a server of one's own. It listens on the
 * loopback interface. Each organization has a path of its own, and sees only what arrives there.
 */
export interface TestReceiver extends AsyncDisposable {
  readonly port: number
  /** The URL for the webhooks of an organization: `https://localhost:<port>/org_…`. */
  urlOf(organizationId: string): string
  inboxOf(organizationId: string): Readonly<Inbox>
  respondWith(organizationId: string, behavior: ResponseBehavior): void
  clear(organizationId: string): void
}

export interface TestReceiverOptions {
  readonly certPem: string
  readonly keyPem: string
  /** 0 for a free one. */
  readonly port: number
  readonly headerPrefix: string
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly onWarning: (message: string) => void
}

export async function openTestReceiver(options: TestReceiverOptions): Promise<TestReceiver> {
  const server = await openHttpsReceiver(options)
  const inboxOf = createInboxes()
  let lastNumber = 0

  async function receive(request: DeliveryRequest): Promise<void> {
    const organizationId = parseId('organization', request.path.slice(1))
    if (organizationId === null) {
      await request.respond(404, 'The path is the id of an organization: /org_…')
      return
    }
    const inbox = inboxOf(organizationId)
    lastNumber += 1
    const received = await describe(options, organizationId, request, lastNumber)
    addRequest(inbox, received)
    const { kind } = inbox.behavior
    const rejection = received.signatureProblem
    // A request that is not genuine does not use up a failure.
    if (rejection !== null) return await answer(inbox, received, request, 400, rejection)
    inbox.behavior = afterRequest(inbox.behavior)
    const response = responseOf(kind)
    if (response) await answer(inbox, received, request, response.status, response.text)
    else await request.closed
  }

  server.start(receive)
  return {
    port: server.port,
    urlOf: (organizationId) =>
      `https://localhost:${server.port}/${publicId('organization', organizationId)}`,
    inboxOf,
    respondWith(organizationId, behavior) {
      inboxOf(organizationId).behavior = behavior
    },
    clear(organizationId) {
      inboxOf(organizationId).requests = []
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

async function answer(
  inbox: Inbox,
  { number }: ReceivedRequest,
  request: DeliveryRequest,
  status: number,
  text: string,
): Promise<void> {
  if (await request.respond(status, text)) setStatus(inbox, number, status)
}

async function describe(
  { headerPrefix, ...deps }: TestReceiverOptions,
  organizationId: string,
  { headers, body }: DeliveryRequest,
  number: number,
): Promise<ReceivedRequest> {
  const receivedAt = new Date()
  const deliveryId = headers[`${headerPrefix}id`]?.toString() ?? null
  const secrets = deliveryId && (await findDeliverySecrets(deps, organizationId, deliveryId))
  const problem = !secrets
    ? 'This organization has no such delivery.'
    : body === null
      ? 'The body is larger than 1 MiB.'
      : await signatureProblem(body, headers, secrets.keys, headerPrefix)
  return {
    number,
    receivedAt,
    deliveryId,
    webhookId: secrets ? secrets.webhookId : null,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
    body: body?.subarray(0, MAX_BODY_BYTES).toString() ?? '',
    bodyTruncated: body === null || body.length > MAX_BODY_BYTES,
    signatureIsValid: problem === null,
    signatureProblem: problem,
    status: null,
  }
}

async function signatureProblem(
  body: Buffer,
  headers: DeliveryRequest['headers'],
  keys: readonly string[],
  headerPrefix: string,
): Promise<string | null> {
  const result = await verify(body, headers, [...keys], { headerPrefix })
  return result.ok ? null : result.message
}
