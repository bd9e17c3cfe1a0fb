/** An API key, or the one-time link that the embedded mode prints at startup. */
export type Credential = { readonly token: string } | { readonly link: string }

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
