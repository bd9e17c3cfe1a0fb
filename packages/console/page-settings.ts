/** A setting of the server, which it writes into the page. Empty if it wrote none. */
const settingOf = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="posthorn-${name}"]`)?.content ?? ''

/** The host of the provider of OpenID Connect. Empty: API keys only. */
export const oidcHost = settingOf('sign-in')

/** The origins whose pages may frame the portal. */
export const PORTAL_ORIGINS = settingOf('portal-origins')
  .split(' ')
  .filter((origin) => origin !== '')

/** Whether the server offers GraphiQL at `/graphql`: not with trusted documents alone. */
export const hasGraphiql = settingOf('graphiql') === 'on'

/** Whether the server serves the documentation at `/docs`: the site is built. */
export const hasDocs = settingOf('docs') === 'on'
