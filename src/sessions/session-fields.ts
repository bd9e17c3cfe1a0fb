import { SCOPES } from '../access/scope.ts'
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, MIN_TTL_SECONDS } from './create-session.ts'

const SESSION_SCOPES = SCOPES.filter((scope) => scope !== 'admin' && scope !== 'keys:manage')

/** The options of the input fields that portal and frontend sessions share. */
export const sessionFields = {
  scopes: {
    required: true,
    description: `The scopes of the session: at least one of ${SESSION_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. The calling key must have each of them. A session for one webhook cannot have \`events:publish\`.`,
  },
  webhookId: {
    description:
      'The only webhook that the session can access: `wh_…`. Default: all webhooks of the organization.',
  },
  ttlSeconds: {
    defaultValue: DEFAULT_TTL_SECONDS,
    description: `The lifetime in seconds: ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}. The session ends earlier if the calling key expires or is revoked.`,
  },
} as const
