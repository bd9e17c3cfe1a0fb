import { FAILURES } from './sign-in-failures.ts'

/** An API key, or the one-time link that the embedded mode prints at startup. */
type Credential = { readonly token: string } | { readonly link: string }

/** Requests a session cookie. Resolves to null, or to an error message. */
export async function signIn(credential: Credential): Promise<string | null> {
  let response: Response
  try {
    response = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'posthorn-console': '1' },
      body: JSON.stringify(credential),
    })
  } catch {
    return 'Posthorn is unreachable. Try again.'
  }
  if (response.ok) return null
  const problem = await response.json().catch(() => null)
  return problem?.detail ?? `Posthorn responded with the status ${response.status}.`
}

/** Leads the browser to the provider, which sends it back to the console. */
export const OIDC_PATH = '/console/session/oidc'

/** Why the last sign-in at the provider failed, from the page's URL. */
export function oidcFailure(): keyof typeof FAILURES | null {
  const given = new URLSearchParams(location.search).get('failed') ?? ''
  return Object.hasOwn(FAILURES, given) ? (given as keyof typeof FAILURES) : null
}

/** Whether the address is a link that signs in once. Then there is no session to ask for yet. */
export function hasSignInLink(): boolean {
  return readLink() !== null
}

/** The one-time link in the URL's fragment. Removes it from the URL: it works only once. */
export function takeSignInLink(): string | null {
  const link = readLink()
  if (link !== null) history.replaceState(history.state, '', '/console')
  return link
}

function readLink(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('link')
}
