import type { GraphQLResolveInfo } from 'graphql'
import { writeAuditEntries } from '../auth/audit/audit-entry.ts'
import type { SigningSecret as Row, Webhook } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { mutation } from '../graphql/mutation.ts'
import { notFound } from '../lib/errors.ts'
import {
  decryptSecret,
  rotateSigningSecret,
  SIGNING_SECRET_RULE,
  type SigningSecret,
} from './signing-secret.ts'

type WithSecrets = Pick<Webhook, 'id' | 'organizationId'> & { readonly signingSecrets: Row[] }

const SigningSecretRef = builder.objectRef<SigningSecret>('SigningSecret').implement({
  description: 'A key that signs, or signed, the deliveries to one webhook.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The key: `whsec_` followed by base64. Only the receiver may know it.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the secret was created.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the secret is deleted: 24 hours after its rotation, or earlier by the fifth rotation after it. Null for the current secret.',
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  signingSecret: t.field({
    type: SigningSecretRef,
    semanticNonNull: true,
    description:
      'The current secret, which signs every attempt. Reading it is in the audit log, as `signing_secret.revealed`.',
    authScopes: { scope: 'secrets:read' },
    select: { id: true, signingSecrets: true },
    resolve: async (webhook, _args, context, info) => {
      const [current] = await reveal(webhook, context, info, ({ expiresAt }) => expiresAt === null)
      // The secrets of a webhook that was deleted meanwhile are gone.
      if (!current) throw notFound('webhook', publicId('webhook', webhook.id))
      return current
    },
  }),
  expiringSigningSecrets: t.field({
    type: [SigningSecretRef],
    semanticNonNull: true,
    description:
      'The secrets that were rotated less than 24 hours ago, newest first: at most five. They no longer sign, but receivers may still accept them. Reading any is in the audit log, as `signing_secret.revealed`.',
    authScopes: { scope: 'secrets:read' },
    select: { id: true, signingSecrets: true },
    resolve: async (webhook, _args, context, info) => {
      const isOld = ({ expiresAt }: Row) => expiresAt !== null && expiresAt > new Date()
      const rotated = await reveal(webhook, context, info, isOld)
      return rotated.toSorted((a, b) => Number(b.expiresAt) - Number(a.expiresAt))
    },
  }),
}))

mutation('rotateSigningSecret', {
  description:
    'Creates a new signing secret for a webhook. Every later attempt, retries included, is signed with the new secret, and only with the new one. The old secret is kept for 24 hours. A webhook has at most five old secrets: a further rotation deletes the oldest at once, so it is never refused.',
  scope: 'secrets:rotate',
  id: 'webhook',
  input: {
    description: 'How to rotate a signing secret. Default: to one that Posthorn makes.',
    optional: true,
    fields: (t) => ({
      secret: t.string({
        description: `The new secret: ${SIGNING_SECRET_RULE}. Default: Posthorn makes one.`,
      }),
    }),
  },
  returns: ['signingSecret', SigningSecretRef, 'The new secret.'],
  run: ({ id, input }, { webhooks, actor }, { organizationId }) =>
    rotateSigningSecret({ ...webhooks, actor }, organizationId, id, input.secret ?? null),
})

/** The secrets that are wanted, once the audit log has an entry. The entries of a page are written together. */
async function reveal(
  { id, organizationId, signingSecrets }: WithSecrets,
  context: Context,
  info: GraphQLResolveInfo,
  isWanted: (row: Row) => boolean,
): Promise<SigningSecret[]> {
  const wanted = signingSecrets.filter(isWanted)
  const audit = context.perOrganization(organizationId, info, async (webhooks: string[]) => {
    const entries = webhooks.map((uuid) => ({
      action: 'signing_secret.revealed' as const,
      organizationId,
      subjectId: publicId('webhook', uuid),
    }))
    await writeAuditEntries(context.sql, context.actor, entries)
    return webhooks
  })
  if (wanted.length > 0) await audit(id)
  return wanted.map((row) => decryptSecret(context.webhooks.keyring, row))
}
