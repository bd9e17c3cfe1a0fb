/** What proves who signs in: an API key, or the one-time link that the embedded mode prints at its start. */
export type Proof = { readonly token: string } | { readonly link: string }

/** Asks for a session cookie. Answers null, or why there is none. */
export async function signIn(proof: Proof): Promise<string | null> {
  let response: Response
  try {
    response = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'posthorn-console': '1' },
      body: JSON.stringify(proof),
    })
  } catch {
    return 'Posthorn cannot be reached at the moment. Try again.'
  }
  if (response.ok) return null
  const problem = await response.json().catch(() => null)
  return problem?.detail ?? `Posthorn answered with the status ${response.status}.`
}
