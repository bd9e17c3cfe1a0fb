import { parseId } from '../../src/db/ids.ts'
import { decryptSecret, type SigningSecret } from '../../src/webhooks/signing-secret.ts'
import type { WebhookDeps } from '../../src/webhooks/webhook.ts'

/** The valid secrets of a webhook: the current one, then the old ones, newest first. */
export async function signingSecretsOf(
  { prisma, keyring }: Pick<WebhookDeps, 'prisma' | 'keyring'>,
  webhookId: string,
): Promise<SigningSecret[]> {
  const rows = await prisma.signingSecret.findMany({
    where: {
      webhookId: parseId('webhook', webhookId) as string,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
    },
    orderBy: { expiresAt: { sort: 'desc', nulls: 'first' } },
  })
  return rows.map((row) => decryptSecret(keyring, row))
}
