import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError } from '../lib/errors.ts'
import { readHeaders } from '../webhooks/encrypted-headers.ts'
import type { SecondSignature, SignatureHeaders } from '../webhooks/signatures/signature-fields.ts'
import { listSigningSecrets } from '../webhooks/signing-secret.ts'

export interface DeliverySecrets {
  readonly webhookId: string
  /** The current key and those that were rotated out within 24 hours. */
  readonly keys: readonly string[]
  /** The names of the custom headers of the webhook, in lower case. */
  readonly customHeaderNames: readonly string[]
  /** The names that the webhook gives the three headers. Null: the usual ones. */
  readonly signatureHeaders: SignatureHeaders | null
  /** The names of all headers of signatures that the webhook chose, in lower case. */
  readonly signatureHeaderNames: readonly string[]
}

const SELECTED = { headersCiphertext: true, signatureHeaders: true, secondSignature: true } as const

/** The keys that may sign a delivery of the organization. Null if it has no such delivery, or its webhook is deleted. */
export async function findDeliverySecrets(
  deps: { readonly prisma: PrismaClient; readonly keyring: Keyring },
  organizationId: string,
  deliveryId: string,
): Promise<DeliverySecrets | null> {
  const uuid = parseId('delivery', deliveryId)
  if (uuid === null) return null
  const delivery = await deps.prisma.delivery.findFirst({
    select: { webhookId: true, webhook: { select: SELECTED } },
    where: { id: uuid, organizationId },
  })
  if (!delivery) return null
  const webhookId = publicId('webhook', delivery.webhookId)
  try {
    const secrets = await listSigningSecrets(deps, organizationId, webhookId)
    const { headersCiphertext } = delivery.webhook
    const signatureHeaders = delivery.webhook.signatureHeaders as SignatureHeaders | null
    const second = delivery.webhook.secondSignature as SecondSignature | null
    const chosen = [...Object.values(signatureHeaders ?? {}), ...(second ? [second.header] : [])]
    const custom = readHeaders(deps.keyring, headersCiphertext, delivery.webhookId) ?? {}
    return {
      webhookId,
      keys: secrets.map(({ key }) => key),
      customHeaderNames: Object.keys(custom).map((name) => name.toLowerCase()),
      signatureHeaders,
      signatureHeaderNames: chosen.map((name) => name.toLowerCase()),
    }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null
    throw error
  }
}
