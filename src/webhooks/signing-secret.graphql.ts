import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { createAuditRevealedSecrets } from './audit-revealed-secrets.ts'
import { rotateSigningSecret, type SigningSecret } from './signing-secret.ts'
import { SIGNING_SECRET_RULE } from './signing-secret-rule.ts'
import { currentSecret, expiringSecrets } from './valid-secrets.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    SigningSecret: SigningSecret
  }
}

builder.objectType('SigningSecret', {
  description: 'A key that signs the deliveries to one webhook, or signed them until its rotation.',
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
    type: 'SigningSecret',
    semanticNonNull: true,
    description:
      'The current secret, which signs every attempt. Reading it is in the audit log, as `signing_secret.revealed`.',
    authScopes: { scope: 'secrets:read' },
    select: { id: true, signingSecrets: true },
    resolve: async ({ id, organizationId, signingSecrets }, _args, context) => {
      const secret = currentSecret(context.webhooks.keyring, signingSecrets)
      await auditRevealed(context, organizationId, id)
      return secret
    },
  }),
  expiringSigningSecrets: t.field({
    type: ['SigningSecret'],
    semanticNonNull: true,
    description:
      'The secrets that were rotated less than 24 hours ago, newest first: at most five. They no longer sign, but receivers may still accept them. Reading any is in the audit log, as `signing_secret.revealed`.',
    authScopes: { scope: 'secrets:read' },
    select: { id: true, signingSecrets: true },
    resolve: async ({ id, organizationId, signingSecrets }, _args, context) => {
      const secrets = expiringSecrets(context.webhooks.keyring, signingSecrets)
      if (secrets.length > 0) await auditRevealed(context, organizationId, id)
      return secrets
    },
  }),
}))

const RotateSigningSecretInput = builder.inputType('RotateSigningSecretInput', {
  description: 'How to rotate a signing secret.',
  fields: (t) => ({
    secret: t.string({
      description: `The new secret: ${SIGNING_SECRET_RULE}. Default: Posthorn makes one.`,
    }),
  }),
})

builder.mutationField('rotateSigningSecret', (t) =>
  t.field({
    type: 'SigningSecret',
    description:
      'Creates a new signing secret for a webhook. Every later attempt, retries included, is signed with the new secret, and only with the new one. The old secret is kept for 24 hours. A webhook has at most five old secrets: a further rotation deletes the oldest at once, so it is never refused.',
    authScopes: { scope: 'secrets:rotate' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError, ValidationError],
      dataField: { name: 'signingSecret', description: 'The new secret.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      input: t.arg({
        type: RotateSigningSecretInput,
        required: true,
        defaultValue: {},
        description: 'How to rotate. Default: to a secret that Posthorn makes.',
      }),
    },
    resolve: (_root, { id, input }, context) =>
      rotateSigningSecret(
        { ...context.webhooks, actor: context.actor },
        callerOf(context).organizationId,
        id,
        input.secret ?? null,
      ),
  }),
)

type Audit = ReturnType<typeof createAuditRevealedSecrets>

/** For each request, by organization. */
const audits = new WeakMap<Context, Map<string, Audit>>()

async function auditRevealed(
  context: Context,
  organizationId: string,
  webhookUuid: string,
): Promise<void> {
  const { sql, actor } = context
  const ofRequest = audits.get(context) ?? new Map<string, Audit>()
  audits.set(context, ofRequest)
  const audit =
    ofRequest.get(organizationId) ?? createAuditRevealedSecrets({ sql, actor, organizationId })
  ofRequest.set(organizationId, audit)
  await audit(webhookUuid)
}
