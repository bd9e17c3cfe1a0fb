/** The origins whose pages may frame the portal. The server writes them into the HTML. */
export const PORTAL_ORIGINS: readonly string[] = (
  document.querySelector<HTMLMetaElement>('meta[name="posthorn-portal-origins"]')?.content ?? ''
)
  .split(' ')
  .filter((origin) => origin !== '')
