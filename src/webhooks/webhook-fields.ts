import { z } from 'zod'
import { readFilter } from '../filters/read-filter.ts'
import { metadataRule } from '../own-names/metadata.ts'
import { uidRule } from '../own-names/uid.ts'
import { keepRule } from '../retention/keep-rule.ts'
import { checkCustomHeaders } from './custom-headers.ts'
import { sendOptionFields } from './send-option-fields.ts'
import { signingSecretRule } from './signing-secret-rule.ts'

/** Subscriptions of one webhook. */
export const MAX_SUBSCRIPTIONS = 1_000

/**
 * The fields that a caller can set, with their rules, for REST, OpenAPI and GraphQL. REST has no own names and no
 * send options. The URL is also checked by outbound/destination-url.ts, and the subscriptions against the catalogue.
 */
export const webhookFields = {
  url: z.string('must be a string'),
  description: z
    .string('must be a string')
    .max(1_000, 'must have at most 1,000 characters')
    .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
    .nullable(),
  enabled: z.boolean('must be true or false'),
  eventSubscriptions: z
    .array(z.string('must be the name of an event type'), 'must be an array of event type names')
    .min(1, 'must name at least one event type')
    .max(MAX_SUBSCRIPTIONS, 'must name at most 1,000 event types'),
  headers: z
    .record(z.string(), z.string('must be a string'), 'must be an object of strings')
    .superRefine(checkCustomHeaders)
    .nullable(),
  /** The text of the filter's JSON. */
  filter: z
    .string('must be a string')
    .nullable()
    .transform((text, context) => {
      if (text === null) return null
      const { filter, issues } = readFilter(text, [])
      for (const { path, code, rule } of issues) {
        const message = rule ?? ''
        context.addIssue({
          code: 'custom',
          path: [...path],
          params: { code },
          message,
          input: text,
        })
      }
      return filter
    }),
  /** Checked by bodies/choose-body.ts. */
  selection: z.string('must be a string').nullable(),
  template: z.string('must be a string').nullable(),
  uid: uidRule.nullable(),
  metadata: metadataRule,
  keepResponseBodies: keepRule,
  keepPayloads: keepRule,
  /** Only GraphQL sets it. */
  verifyEndpoint: z
    .boolean('must be true or false')
    .nullable()
    .transform((value) => value ?? false),
  ...sendOptionFields,
}

/** `url` and `eventSubscriptions` are required. */
export const newWebhookSchema = z.object({
  url: webhookFields.url,
  description: webhookFields.description.default(null),
  enabled: webhookFields.enabled.default(false),
  eventSubscriptions: webhookFields.eventSubscriptions,
  headers: webhookFields.headers.default(null),
  filter: webhookFields.filter.default(null),
  selection: webhookFields.selection.default(null),
  template: webhookFields.template.default(null),
  uid: webhookFields.uid.default(null),
  metadata: webhookFields.metadata.default({}),
  rateLimitPerSecond: webhookFields.rateLimitPerSecond.default(null),
  maxInFlight: webhookFields.maxInFlight.default(null),
  retryScheduleSeconds: webhookFields.retryScheduleSeconds.default(null),
  timeoutSeconds: webhookFields.timeoutSeconds.default(null),
  ordered: webhookFields.ordered.default(false),
  headerPrefix: webhookFields.headerPrefix.default(null),
  /** The signing secret. Null: Posthorn makes one. */
  secret: signingSecretRule.nullable().default(null),
  keepResponseBodies: webhookFields.keepResponseBodies.default(true),
  keepPayloads: webhookFields.keepPayloads.default(true),
  verifyEndpoint: webhookFields.verifyEndpoint.default(false),
})

/** A missing field stays unchanged. */
export const webhookChangesSchema = z.object(webhookFields).partial()

export type NewWebhook = z.input<typeof newWebhookSchema>
export type WebhookChanges = z.input<typeof webhookChangesSchema>
