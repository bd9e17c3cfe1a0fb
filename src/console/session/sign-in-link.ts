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
