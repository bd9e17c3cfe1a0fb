import { STATUS_CODES } from 'node:http'

/** A status for people, such as `503 Service Unavailable`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}
