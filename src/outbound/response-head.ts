import { NOT_IN_VALUE, TOKEN } from './field-syntax.ts'

/** What the status line and the headers of a response say (RFC 9112, sections 4 to 6). */
export interface ResponseHead {
  readonly status: number
  /** Lower-case names; repeated ones joined with a comma. */
  readonly headers: Record<string, string>
  /** How many bytes of body follow; `Infinity`: until the connection is closed. */
  readonly bodyLength: number | 'chunked'
  /** How long the connection may rest for another request; 0: not at all. */
  readonly keepIdleMs: number
}

/**
 * Reads a head without the empty line that ends it. `null` where it is not valid: lenience would guess where the body
 * ends, and the next answer begins. Switching to another protocol (101) is not valid either, as nobody asked for it.
 */
export function parseResponseHead(text: string): ResponseHead | null {
  const unfolded = unfold(text)
  const headersAt = lineEnd(unfolded, 0)
  const statusLine = unfolded.slice(0, headersAt)
  if (!STATUS_LINE.test(statusLine)) return null
  const status = Number(statusLine.slice(9, 12))
  const headers = parseHeaders(unfolded, headersAt)
  if (headers === null || status === 101) return null
  const bodyLength = bodyLengthOf(status, headers)
  if (bodyLength === null) return null
  const isCurrent = statusLine.startsWith(CURRENT)
  const persists = isCurrent ? !hasToken(headers, 'close') : hasToken(headers, 'keep-alive')
  const keepIdleMs = persists && bodyLength !== Infinity ? keepIdleMsOf(headers) : 0
  return { status, headers, bodyLength, keepIdleMs }
}

/** Whether a text may be the beginning of a response: what speaks another protocol may never send the end of a head. */
export function mayBeginHead(text: string): boolean {
  return text.startsWith(BEGINNING.slice(0, text.length))
}

const BEGINNING = 'HTTP/1.'
const CURRENT = 'HTTP/1.1'

/** The reason phrase may be missing, and then the space before it too. */
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?$/

/** Joins lines that were continued on the next, in the way of old servers. */
function unfold(text: string): string {
  return FOLD.test(text) ? text.replaceAll(FOLDS, ' ') : text
}

const FOLD = /\r\n[ \t]/
const FOLDS = /\r\n[ \t]+/g

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\r\n', from)
  return end === -1 ? text.length : end
}

/** The lines after the one that ends there. */
function parseHeaders(text: string, afterLineEnd: number): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (let last = afterLineEnd; last < text.length; ) {
    const start = last + 2
    const end = lineEnd(text, start)
    const colon = text.indexOf(':', start)
    const name = text.slice(start, colon).toLowerCase()
    const value = trim(text, colon + 1, end)
    if (colon === -1 || colon > end || !TOKEN.test(name) || NOT_IN_VALUE.test(value)) return null
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
    last = end
  }
  return headers
}

/** Of spaces and tabs alone: the last byte of a letter in UTF-8 may be a no-break space in Latin-1. */
function trim(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function bodyLengthOf(
  status: number,
  headers: Readonly<Record<string, string>>,
): ResponseHead['bodyLength'] | null {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding !== undefined && length !== undefined) return null
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return null
  if (status < 200 || status === 204 || status === 304) return 0
  if (coding !== undefined) return /(^|,)[ \t]*chunked$/i.test(coding) ? 'chunked' : Infinity
  return length === undefined ? Infinity : Number(length)
}

function hasToken({ connection = '' }: Readonly<Record<string, string>>, token: string): boolean {
  if (connection === '') return false
  return connection.split(',').some((one) => one.trim().toLowerCase() === token)
}

/** A receiver that tells when it closes connections at rest is believed, less the time that a request takes to it. */
function keepIdleMsOf({ 'keep-alive': told = '' }: Readonly<Record<string, string>>): number {
  const [, seconds] = /timeout=(\d{1,9})/i.exec(told) ?? []
  if (seconds === undefined) return KEEP_IDLE_MS
  return Math.max(0, Math.min(Number(seconds) * 1_000 - ON_THE_WAY_MS, MOST_KEEP_IDLE_MS))
}

/** Less than the usual idle timeouts of servers that do not tell theirs. */
const KEEP_IDLE_MS = 10_000
const MOST_KEEP_IDLE_MS = 60_000
const ON_THE_WAY_MS = 2_000
