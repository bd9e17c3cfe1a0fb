import { ConfigError } from '../config/config.ts'
import { DomainError } from '../lib/errors.ts'
import { isDatabaseUnavailable } from './faults.ts'

/** One message for the person who started the process or the command. */
export function explainFailure(error: unknown): string {
  if (error instanceof DomainError || error instanceof ConfigError) return error.message
  if (isDatabaseUnavailable(error)) {
    return `Cannot connect to Postgres (${messageOf(error)}). Check DATABASE_URL, POSTHORN_DIRECT_DATABASE_URL if you set it, and that the server runs.`
  }
  return messageOf(error)
}

/** If a connection fails for every address of a host, Node wraps the errors in one without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}
