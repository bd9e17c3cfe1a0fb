import { z } from 'zod'
import { parseInput } from '../lib/validation.ts'
import { SECRET_PREFIX } from '../receiver/signature.ts'
import {
  type Body,
  type FormerOrganization,
  type FormerWebhook,
  nameOf,
  templateOf,
} from './former-sender.ts'
import { rateLimitOf } from './rate-limit.ts'
import { takenSecret } from './taken-secret.ts'

const strings = z.record(z.string(), z.string())

/** An endpoint with the answers about its secret, headers and transformation. Fields that nothing needs are left out. */
const endpoint = z.object({
  id: z.string(),
  uid: z.string().nullish(),
  url: z.string(),
  description: z.string().nullish(),
  disabled: z.boolean().nullish(),
  filterTypes: z.array(z.string()).nullish(),
  channels: z.array(z.string()).nullish(),
  rateLimit: z.number().nullish(),
  throttleRate: z.number().nullish(),
  metadata: strings.nullish(),
  secret: z.object({ key: z.string() }).nullish(),
  headers: z.object({ headers: strings, sensitive: z.array(z.string()).nullish() }).nullish(),
  transformation: z
    .object({ code: z.string().nullish(), enabled: z.boolean().nullish() })
    .nullish(),
})

const application = z.object({
  id: z.string(),
  uid: z.string().nullish(),
  name: z.string().nullish(),
  rateLimit: z.number().nullish(),
  throttleRate: z.number().nullish(),
  metadata: strings.nullish(),
  endpoints: z.array(z.unknown()),
})

export interface SvixRules {
  readonly body: Body
  /** Whether deliveries have the names `svix-id`, `svix-timestamp` and `svix-signature`. */
  readonly keepsHeaderNames: boolean
}

const SVIX_HEADERS = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' }

/** An application of Svix with its endpoints, as its API and its saved exports have it. Throws `invalid`. */
export function parseSvixApplication(input: unknown, rules: SvixRules): FormerOrganization {
  const { id, uid, name, metadata, endpoints, ...rest } = parseInput(application, input)
  const limit = rest.throttleRate ?? rest.rateLimit
  return {
    uid: uid || id,
    name: nameOf(name, id),
    metadata: metadata ?? {},
    webhooks: endpoints.map((one) => toWebhook(parseInput(endpoint, one), rules)),
    lacks:
      limit == null
        ? []
        : [`The application has a rate limit of ${limit}. Posthorn limits each webhook.`],
  }
}

function toWebhook(given: z.output<typeof endpoint>, rules: SvixRules): FormerWebhook {
  const { id, uid, url, description, filterTypes, metadata, headers } = given
  const secret = takenSecret(prefixed(given.secret?.key))
  const limit = rateLimitOf(given.throttleRate ?? given.rateLimit)
  return {
    uid: uid || id,
    wasEnabled: given.disabled !== true,
    fields: {
      url,
      description: description || null,
      eventSubscriptions: filterTypes && filterTypes.length > 0 ? filterTypes : ['*'],
      headers: headers?.headers ?? null,
      metadata: metadata ?? {},
      rateLimitPerSecond: limit.rateLimitPerSecond,
      template: templateOf(rules.body),
      signatureHeaders: rules.keepsHeaderNames ? SVIX_HEADERS : null,
      secret,
    },
    lacks: [...limit.lacks, ...lacksOf(given, secret)],
  }
}

/** Svix may leave the prefix of a secret out: the key is in base64 all the same. */
function prefixed(key: string | undefined): string | undefined {
  return key && !key.startsWith('whs') ? SECRET_PREFIX + key : key
}

function lacksOf(
  { channels, headers, transformation, ...given }: z.output<typeof endpoint>,
  secret: string | null,
): string[] {
  const lacks: string[] = []
  if (secret === null) {
    lacks.push(
      given.secret
        ? 'The secret is none of 24 to 64 bytes, such as that of a signature with a public key. The webhook has a new one: give it to the receiver.'
        : 'The secret could not be read. The webhook has a new one: give it to the receiver, or delete the webhook and import it with a token that may read secrets.',
    )
  }
  if (channels && channels.length > 0) {
    lacks.push(
      `The endpoint receives only the channels ${channels.join(', ')}. Set a filter on a field of your events.`,
    )
  }
  if (headers?.sensitive && headers.sensitive.length > 0) {
    lacks.push(
      `The values of the headers ${headers.sensitive.join(', ')} cannot be read. Add these headers.`,
    )
  }
  if (transformation?.enabled === true) {
    lacks.push('The endpoint has a transformation. Write a template or a selection instead.')
  }
  return lacks
}
