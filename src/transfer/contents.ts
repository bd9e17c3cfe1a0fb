import { z } from 'zod'
import { SCOPES } from '../access/scope.ts'
import { keyNameRule } from '../api-keys/api-key.ts'
import { limitsRule } from '../api-keys/limits.ts'
import { ID_PREFIXES, type IdKind, parseId } from '../db/ids.ts'
import { eventTypeFields } from '../event-types/edit-event-type.ts'
import { printFilter } from '../filters/read-filter.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { organizationFields } from '../organizations/organization.ts'
import { MAX_EXPIRING_SECRETS } from '../webhooks/signing-secret.ts'
import { signingSecretRule } from '../webhooks/signing-secret-rule.ts'
import { webhookFields } from '../webhooks/webhook-fields.ts'

/** The configuration of an installation, decrypted. Names and rules are those of GraphQL; times are of RFC 3339. */
export interface Contents {
  readonly organizations: readonly OrganizationRecord[]
  readonly eventTypes: readonly EventTypeRecord[]
  readonly webhooks: readonly WebhookRecord[]
  readonly apiKeys: readonly ApiKeyRecord[]
}

export type Kind = keyof Contents
export type OrganizationRecord = z.output<typeof RECORDS.organizations>
export type EventTypeRecord = z.output<typeof RECORDS.eventTypes>
export type WebhookRecord = z.output<typeof RECORDS.webhooks>
export type SigningSecretRecord = WebhookRecord['signingSecrets'][number]
export type ApiKeyRecord = z.output<typeof RECORDS.apiKeys>

/** The id of a record, or the name of an event type. */
export function idOf(record: Contents[Kind][number]): string {
  return 'id' in record ? record.id : record.name
}

const time = z
  .string('must be a string')
  .refine((text) => parseRfc3339(text) !== null, 'must be an RFC 3339 time')

function id(kind: IdKind) {
  return z
    .string('must be a string')
    .refine((text) => parseId(kind, text) !== null, `must be an id, ${ID_PREFIXES[kind]}_…`)
}

const signingSecret = z.strictObject({
  id: id('signingSecret'),
  key: signingSecretRule,
  createdAt: time,
  expiresAt: time.nullable(),
})

/** The rules of each kind of record. `checkContents` also checks what several fields or records have in common. */
export const RECORDS = {
  organizations: z.strictObject({
    id: id('organization'),
    name: organizationFields.name,
    uid: organizationFields.uid.default(null),
    metadata: organizationFields.metadata.default({}),
    retentionDays: organizationFields.retentionDays.default(null),
    keepResponseBodies: organizationFields.keepResponseBodies.default(true),
    keepPayloads: organizationFields.keepPayloads.default(true),
    createdAt: time,
  }),
  eventTypes: z.strictObject({
    ...eventTypeFields,
    group: eventTypeFields.group.default(null),
    retentionDays: eventTypeFields.retentionDays.default(null),
    createdAt: time,
    updatedAt: time,
    archivedAt: time.nullable(),
  }),
  webhooks: z.strictObject({
    id: id('webhook'),
    organizationId: id('organization'),
    ...webhookFields,
    filter: webhookFields.filter.transform((filter) => filter && printFilter(filter)).default(null),
    selection: webhookFields.selection.default(null),
    template: webhookFields.template.default(null),
    uid: webhookFields.uid.default(null),
    metadata: webhookFields.metadata.default({}),
    headerPrefix: webhookFields.headerPrefix.default(null),
    keepResponseBodies: webhookFields.keepResponseBodies.default(true),
    keepPayloads: webhookFields.keepPayloads.default(true),
    expiresAt: time.nullable().default(null),
    verifyEndpoint: webhookFields.verifyEndpoint.default(false),
    endpointVerifiedAt: time.nullable().default(null),
    endsWhenGone: webhookFields.endsWhenGone.default(false),
    messageIdKind: webhookFields.messageIdKind.default('delivery'),
    createdAt: time,
    updatedAt: time,
    signingSecrets: z
      .array(signingSecret)
      .max(1 + MAX_EXPIRING_SECRETS, `must be at most ${1 + MAX_EXPIRING_SECRETS}`)
      .refine(
        (secrets) => secrets.filter(({ expiresAt }) => expiresAt === null).length === 1,
        'must have exactly one without expiresAt: the current one',
      ),
  }),
  apiKeys: z.strictObject({
    id: id('apiKey'),
    organizationId: id('organization'),
    name: keyNameRule,
    tokenHash: z.string('must be a string').regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
    tokenHint: z.string('must be a string').regex(/^phk_\w{0,16}$/, 'must be the start of a token'),
    scopes: z
      .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`))
      .min(1, 'must name at least one scope'),
    createdAt: time,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    ...limitsRule.shape,
  }),
} as const satisfies Record<Kind, z.ZodType>

export const KINDS = Object.keys(RECORDS) as Kind[]
