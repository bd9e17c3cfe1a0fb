import { readFileSync } from 'node:fs'
import { didYouMean } from '../lib/did-you-mean.ts'
import { decodeUtf8 } from '../lib/parse-json.ts'
import { isRange } from '../outbound/public-address.ts'

/*
 * Parsers of setting values. Each throws an error that says which value to give.
 */

/** Parses a text that needs no conversion. */
function valid(isValid: (text: string) => boolean, remedy: string): (text: string) => string {
  return (text) => {
    if (!isValid(text)) throw new Error(remedy)
    return text
  }
}

function oneOf<const Choice extends string>(...choices: Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((known) => known === text)
    if (choice !== undefined) return choice
    throw new Error(`give one of ${choices.join(', ')}.${didYouMean(text, choices)}`)
  }
}

/** Parses a duration such as `90s` to milliseconds. The units are ms, s, m, h and d. Throws on other text. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) throw new Error('give a whole number and a unit, such as 500ms, 15s, 5m, 2h or 30d.')
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 'ms']
  return Number(match[1]) * unitMs
}

/** Parses comma-separated delays to milliseconds: at most 50, of up to 7 days each. Empty: no retries. */
export function parseRetrySchedule(text: string): number[] {
  const delaysMs = parseList(parseDurationBetween('0s', '7d'))(text)
  if (delaysMs.length > 50) throw new Error('give at most 50 delays.')
  return delaysMs
}

export function parseList<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => (text === '' ? [] : text.split(',').map((part) => parse(part.trim())))
}

export function parseOptional<T>(parse: (text: string) => T): (text: string) => T | null {
  return (text) => (text === '' ? null : parse(text))
}

export const parseNonEmpty = valid((text) => text !== '', 'it must not be empty.')

export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new Error(`give a whole number from ${min} to ${max}.`)
  }
}

export function parseDurationBetween(min: string, max: string): (text: string) => number {
  return (text) => {
    const value = parseDuration(text)
    if (value >= parseDuration(min) && value <= parseDuration(max)) return value
    throw new Error(`give a duration from ${min} to ${max}.`)
  }
}

export function parsePostgresUrl(text: string): string {
  // As psql takes a folder of sockets; a URL has no user without a host.
  const url = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[:/])/, '$1localhost')
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url
  throw new Error(
    'give a URL such as postgres://user:password@host:5432/database, or postgres://user@/database?host=/var/run/postgresql for a folder of sockets.',
  )
}

/** Parses comma-separated keys in base64. */
export function parseEncryptionKeys(text: string): Buffer[] {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'))
  if (keys.every((key) => key.length === 32)) return keys
  throw new Error('each comma-separated key must be 32 bytes in base64.')
}

const RESERVED_SCHEMA = /^(posthorn|posthorn_partitions|public|information_schema|pg_.*)$/

export const parseSchemaName = valid(
  (text) => /^[a-z0-9_]{1,63}$/.test(text) && !RESERVED_SCHEMA.test(text),
  'give 1 to 63 lower-case letters, digits and underscores that name a schema for the jobs only, such as posthorn_worker.',
)

export const parseCidr = valid(isRange, 'give CIDR ranges such as 10.0.0.0/8 or fd00::/8.')

export const parseProxy = valid(
  (text) => /^https?:\/\//.test(text) && URL.canParse(text),
  'give the http:// or https:// URL of a forward proxy.',
)

export const parseSmtpUrl = valid(
  (text) => /^smtps?:\/\//.test(text) && (URL.parse(text)?.hostname ?? '') !== '',
  'give the URL of a mail server: smtps://user:password@host, or smtp:// for STARTTLS.',
)

/** The sender of mails: an address, with or without a name before it in angle brackets. */
export const parseSender = valid(
  (text) => EMAIL.test(/^[^<>\r\n]*<([^<>]+)>$/.exec(text)?.[1] ?? text),
  'give an e-mail address, such as Posthorn <posthorn@example.com>.',
)

/** One address, without the quoted and commented forms of RFC 5321 that nobody uses. */
export const EMAIL = /^[^\s"(),:;<>@[\\\]]{1,64}@[^\s"(),:;<>@[\\\]]+\.[^\s"(),:;<>@[\\\].]+$/

export const parseHeaderPrefix = valid(
  (text) => /^[a-z0-9]+(-[a-z0-9]+)*-$/.test(text),
  'give lower-case letters and digits ending in a hyphen, such as wh- or webhook-.',
)

export const parseOrigin = valid(
  (text) => URL.parse(text)?.origin === text,
  'give origins such as https://app.example.com, without a path.',
)

/** Stricter than `URL`: the origin becomes part of a Content-Security-Policy, where `;` and `*` have a meaning. */
const WEB_ORIGIN = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/

export const parseWebOrigin = valid(
  (text) => WEB_ORIGIN.test(text) && URL.parse(text)?.origin === text,
  'give http:// or https:// origins such as https://app.example.com, without a path.',
)

export function parsePublicUrl(text: string): string {
  const url = URL.parse(text)
  if (url && WEB_ORIGIN.test(url.origin) && url.href === `${url.origin}/`) return url.origin
  throw new Error(
    'give the http:// or https:// origin of Posthorn as browsers see it, without a path, such as https://webhooks.example.com.',
  )
}

/** `read`: tools that change nothing. `write`: every tool that the scopes of the caller allow. */
export const parseMcpAccess = oneOf('off', 'read', 'write')

export function readTrustedDocuments(file: string): Record<string, string> {
  const remedy = 'give the path of a JSON file such as {"<hash>": "query { … }"}.'
  let documents: unknown
  try {
    documents = JSON.parse(decodeUtf8(readFileSync(file)) ?? '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `${code ? `it cannot be read (${code})` : 'it is not JSON in UTF-8'}: ${remedy}`,
    )
  }
  const isObject = typeof documents === 'object' && documents !== null && !Array.isArray(documents)
  if (!isObject || Object.values(documents as object).some((text) => typeof text !== 'string')) {
    throw new Error(`it is not an object of documents by hash: ${remedy}`)
  }
  return documents as Record<string, string>
}

export type LogLevel = ReturnType<typeof parseLogLevel>

export const parseLogLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
