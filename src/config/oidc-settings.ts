import { createRangeCheck } from '../outbound/public-address.ts'

/** Sign-in to the console by OpenID Connect. */
export interface OidcSettings {
  /** The URL of the provider, as in its tokens. */
  readonly issuer: string
  readonly clientId: string
  /** In order: a person gets the first role whose claim matches. */
  readonly roles: readonly OidcRole[]
}

/** People with a value in a claim get the organization and the scopes of an API key. */
export interface OidcRole {
  readonly claim: string
  readonly value: string
  /** The id of the API key: `key_…`. */
  readonly keyId: string
}

/** The addresses of this machine that no other machine can reach. */
export const LOOPBACK = ['127.0.0.0/8', '::1/128']

const isLoopbackAddress = createRangeCheck(LOOPBACK)

export function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host)
}

/** Parses an https:// URL, or an http:// URL of this machine. */
export function parseIssuer(text: string): string {
  const url = URL.parse(text)
  const isAllowed = url?.protocol === 'https:' || (url !== null && isLoopbackHttp(url))
  if (!isAllowed || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error(
      'give the https:// URL of the provider without a query, such as https://accounts.example.com. Only on this machine may the URL begin with http://.',
    )
  }
  return text
}

/** Whether the URL is http:// on this machine. */
export function isLoopbackHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

const ROLE = /^([^=\s]+)=(.+):(key_[0-9a-z]{26})$/

/** Parses a role: `claim=value:key_…`. */
export function parseOidcRole(text: string): OidcRole {
  const [, claim, value, keyId] = ROLE.exec(text) ?? []
  if (claim && value && keyId) return { claim, value, keyId }
  throw new Error(
    `${JSON.stringify(text)} is not a role. Give claim=value:key_…, such as groups=support:key_… with the id of an API key.`,
  )
}
