import { z } from 'zod'
import { parseInput } from '../lib/validation.ts'
import {
  type Body,
  type FormerOrganization,
  type FormerWebhook,
  nameOf,
  templateOf,
} from './former-sender.ts'
import { takenSecret } from './taken-secret.ts'

const strings = z.record(z.string(), z.string())

const tenant = z.object({
  id: z.string(),
  metadata: strings.nullish(),
  destinations: z.array(z.unknown()),
})

const destination = z.object({
  id: z.string(),
  type: z.string(),
  topics: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  filter: z.record(z.string(), z.unknown()).nullish(),
  disabled_at: z.string().nullish(),
  config: z.record(z.string(), z.unknown()).nullish(),
  credentials: z
    .object({ secret: z.string().nullish(), previous_secret: z.string().nullish() })
    .nullish(),
  delivery_metadata: strings.nullish(),
  metadata: strings.nullish(),
})

export interface OutpostRules {
  readonly body: Body
  /** `default`: a signature by template. `standard`: Standard Webhooks, with the names `webhook-id` and so on. */
  readonly mode: 'default' | 'standard'
  /** DESTINATIONS_WEBHOOK_HEADER_PREFIX. */
  readonly headerPrefix: string
  /** The templates of the signature, in the form of Posthorn. */
  readonly content: string
  readonly value: string
  /** The name of the header of Posthorn's own signature. */
  readonly ownSignatureHeader: string
}

/** A tenant of Outpost with its destinations, as its API and its saved exports have it. Throws `invalid`. */
export function parseOutpostTenant(input: unknown, rules: OutpostRules): FormerOrganization {
  const { id, metadata, destinations } = parseInput(tenant, input)
  return {
    uid: id,
    name: nameOf(metadata?.['name'], id),
    metadata: metadata ?? {},
    webhooks: destinations.map((one) => toWebhook(parseInput(destination, one), rules)),
    lacks: [],
  }
}

type Destination = z.output<typeof destination>

function toWebhook(given: Destination, rules: OutpostRules): FormerWebhook {
  const { id, type, topics, config, credentials, metadata } = given
  const wasEnabled = given.disabled_at == null
  if (type !== 'webhook') {
    const why = `The destination is of the type ${type}. Posthorn sends HTTP requests only.`
    return { uid: id, wasEnabled, fields: null, lacks: [why] }
  }
  const headers = customHeaders(config?.['custom_headers'])
  const secret = readableSecret(credentials?.secret)
  const subscriptions = topics === '*' || !topics ? ['*'] : topics
  return {
    uid: id,
    wasEnabled,
    fields: {
      url: String(config?.['url'] ?? ''),
      eventSubscriptions: subscriptions,
      headers: headers === 'unreadable' ? null : headers,
      metadata: metadata ?? {},
      template: templateOf(rules.body),
      secret: takenSecret(secret),
      ...signatures(secret, rules),
    },
    lacks: lacksOf(given, headers, secret, rules),
  }
}

/** The receiver finds the id, the timestamp and the signature by the names it knows. */
function signatures(secret: string | null, rules: OutpostRules) {
  if (rules.mode === 'standard') {
    const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    return { signatureHeaders: { id, timestamp, signature } }
  }
  const { headerPrefix: prefix, content, value } = rules
  return {
    signatureHeaders: {
      id: `${prefix}event-id`,
      timestamp: `${prefix}timestamp`,
      signature: rules.ownSignatureHeader,
    },
    ...(secret !== null && {
      secondSignature: {
        header: `${prefix}signature`,
        algorithm: 'sha256' as const,
        encoding: 'hex' as const,
        content,
        value,
        secret,
      },
    }),
  }
}

function lacksOf(
  { filter, delivery_metadata, credentials }: Destination,
  headers: ReturnType<typeof customHeaders>,
  secret: string | null,
  { mode }: OutpostRules,
): string[] {
  const lacks: string[] = []
  if (secret === null || (mode === 'standard' && takenSecret(secret) === null)) {
    lacks.push(
      'The secret could not be taken over. The webhook has a new one: give it to the receiver.',
    )
  }
  if (credentials?.previous_secret) {
    lacks.push('The secret is being rotated. Only the current secret signs.')
  }
  if (headers === 'unreadable') lacks.push('The custom headers are no JSON object. Add them.')
  if (filter && Object.keys(filter).length > 0) {
    lacks.push('The destination has a filter. Write the filter in the form of Posthorn.')
  }
  if (delivery_metadata && Object.keys(delivery_metadata).length > 0) {
    lacks.push(
      `The delivery metadata ${Object.keys(delivery_metadata).join(', ')} are not sent. Add headers for those that the receiver reads.`,
    )
  }
  return lacks
}

/** The API hides the secrets of some callers behind asterisks. */
function readableSecret(text: string | null | undefined): string | null {
  return text && !/[*]{3}/.test(text) ? text : null
}

/** A JSON object in a string. */
function customHeaders(text: unknown): Record<string, string> | null | 'unreadable' {
  if (text === undefined || text === null || text === '') return null
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : text
    return strings.parse(value)
  } catch {
    return 'unreadable'
  }
}
