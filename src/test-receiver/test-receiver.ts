import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { Certificate, DeliveryRequest } from '../http/https-receiver.ts'
import { openHttpsReceiver } from '../http/https-receiver.ts'
import { verify } from '../receiver/index.ts'
import { isReservedName } from '../webhooks/custom-headers.ts'
import { type DeliverySecrets, findDeliverySecrets } from './delivery-secrets.ts'
import { forgetDeletedRegularly } from './forget-deleted.ts'
import {
  addRequest,
  type Inbox,
  inboxOf,
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
  /** The organization exists. */
  inboxOf(organizationId: string): Readonly<Inbox>
  respondWith(organizationId: string, behavior: ResponseBehavior): void
  clear(organizationId: string): void
}

export interface TestReceiverOptions {
  /** Issues a certificate for `localhost`. */
  readonly issueCertificate: () => Promise<Certificate>
  /** 0 for a free one. */
  readonly port: number
  readonly headerPrefix: string
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly onWarning: (message: string) => void
}

export async function openTestReceiver(options: TestReceiverOptions): Promise<TestReceiver> {
  const server = await openHttpsReceiver({
    ...options,
    certificate: options.issueCertificate,
  })
  const inboxes = new Map<string, Inbox>()
  const forgetting = forgetDeletedRegularly(options.prisma, inboxes)
  let lastNumber = 0

  /** Null for an organization that does not exist. */
  async function findInbox(organizationId: string): Promise<Inbox | null> {
    const where = { id: organizationId, deletedAt: null }
    const found = await options.prisma.organization.findUnique({ where, select: { id: true } })
    return found && inboxOf(inboxes, organizationId)
  }

  async function receive(request: DeliveryRequest): Promise<void> {
    const organizationId = parseId('organization', request.path.slice(1))
    const inbox = organizationId && (await findInbox(organizationId))
    if (!organizationId || !inbox) {
      await request.respond(404, 'The path is the id of an organization that exists: /org_…')
      return
    }
    lastNumber += 1
    const received = await describe(options, organizationId, request, lastNumber)
    addRequest(inboxes, inbox, received)
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
    inboxOf: (organizationId) => inboxOf(inboxes, organizationId),
    respondWith(organizationId, behavior) {
      inboxOf(inboxes, organizationId).behavior = behavior
    },
    clear(organizationId) {
      inboxOf(inboxes, organizationId).requests = []
    },
    async [Symbol.asyncDispose]() {
      forgetting[Symbol.dispose]()
      await server.close()
    },
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
  const deliveryId = findDeliveryId(headers, headerPrefix)
  const found = deliveryId && (await findDeliverySecrets(deps, organizationId, deliveryId))
  const problem = !found
    ? 'This organization has no such delivery.'
    : body === null
      ? 'The body is larger than 1 MiB.'
      : await signatureProblem(
          body,
          withUsualNames(headers, found, headerPrefix),
          found.keys,
          headerPrefix,
        )
  const customNames = new Set(found ? found.customHeaderNames : [])
  const signatureNames = new Set(found ? found.signatureHeaderNames : [])
  return {
    number,
    receivedAt,
    deliveryId,
    webhookId: found ? found.webhookId : null,
    headers: Object.entries(headers).map(([name, value]) => ({
      name,
      value: String(value),
      isCustom:
        customNames.has(name) || !(signatureNames.has(name) || isReservedName(name, headerPrefix)),
    })),
    body: body?.subarray(0, MAX_BODY_BYTES).toString() ?? '',
    bodyTruncated: body === null || body.length > MAX_BODY_BYTES,
    signatureIsValid: problem === null,
    signatureProblem: problem,
    status: null,
  }
}

type RequestHeaders = DeliveryRequest['headers']

/** Of a webhook whose id header has another name, the id is known by its spelling. */
function findDeliveryId(headers: RequestHeaders, headerPrefix: string): string | null {
  const named = headers[`${headerPrefix}id`]?.toString()
  if (named !== undefined) return named
  const values = Object.values(headers).map(String)
  return values.find((value) => parseId('delivery', value) !== null) ?? null
}

/** The headers as a webhook without other names would have them. */
function withUsualNames(
  headers: RequestHeaders,
  { signatureHeaders }: DeliverySecrets,
  headerPrefix: string,
): RequestHeaders {
  if (signatureHeaders === null) return headers
  const renamed = Object.entries(signatureHeaders).map(([usual, name]) => [
    `${headerPrefix}${usual}`,
    headers[name.toLowerCase()],
  ])
  return { ...headers, ...Object.fromEntries(renamed) }
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
