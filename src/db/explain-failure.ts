import { ConfigError } from '../config/config.ts'
import { DomainError } from '../lib/errors.ts'
import { UNAVAILABLE, unavailabilityOf } from './faults.ts'

/** An error whose message another thread has explained. */
export class ExplainedError extends Error {}

/** One message for the person who started the process or the command. */
export function explainFailure(error: unknown, isEmbedded = false): string {
  if ([DomainError, ConfigError, ExplainedError].some((known) => error instanceof known)) {
    return messageOf(error)
  }
  const unavailability = unavailabilityOf(error)
  if (unavailability === 'unreachable') {
    return isEmbedded
      ? `The embedded Postgres does not answer (${messageOf(error)}). Another process may be stopping it: start again.`
      : `Cannot connect to Postgres (${messageOf(error)}). Check DATABASE_URL, POSTHORN_DIRECT_DATABASE_URL if you set it, and that the server runs.`
  }
  if (unavailability !== null) return `${UNAVAILABLE[unavailability]} (${messageOf(error)})`
  if (Object(error).code === INSUFFICIENT_PRIVILEGE) {
    return `${messageOf(error)}. Set DATABASE_URL to the role of the service, or to the owner of the tables.`
  }
  const remedy = remedyForTls(error)
  if (remedy) return `Cannot connect to Postgres (${messageOf(error)}). ${remedy}`
  return messageOf(error)
}

/** Whether the settings must change before a start can succeed: they are invalid, or Postgres rejects them. */
export function isMisconfiguration(error: unknown): boolean {
  const { code = '' } = Object(error) as { code?: unknown }
  return error instanceof ConfigError || REJECTED.test(String(code))
}

/**
 * A wrong user or password (28), and a database that does not exist.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const REJECTED = /^(28...|3D000)$/

const INSUFFICIENT_PRIVILEGE = '42501'

/** The codes of Node for a certificate that it does not accept. */
const CERTIFICATE_REJECTED = /^(UNABLE_TO_|CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_)/

function remedyForTls(error: unknown): string | null {
  const { code = '' } = Object(error) as { code?: string }
  if (code === '28000' && messageOf(error).endsWith('no encryption')) {
    return 'The server requires TLS: add ?sslmode=verify-full to its URL.'
  }
  if (CERTIFICATE_REJECTED.test(code)) {
    return 'Check the host in its URL, and name the PEM file of its certificate authority there: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.'
  }
  return null
}

/** If a connection fails for every address of a host, Node wraps the errors in one without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}
