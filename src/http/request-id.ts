import { v7 as uuidV7 } from 'uuid'

/** Identifies a request in its response and in the log. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** 1 to 128 visible ASCII characters. Node joins repeated headers with a comma and a space, so they do not match. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** The value of the client's header if it is 1 to 128 visible ASCII characters without spaces, otherwise a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : newRequestId()
}

export function newRequestId(): string {
  return uuidV7()
}
