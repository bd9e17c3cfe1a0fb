const MASK = '•••'

/** Parameters whose values may be credentials: by their names, or because they are as long as a token. */
const SECRET_NAME = /token|key|secret|sig|pass|pwd|auth|credential|code/i
const SECRET_LENGTH = 20

/** A URL to show: what may be a credential in its query is masked, as the values of custom headers are. */
export function maskUrl(url: string): string {
  const [, before = url, query, after = ''] = /^([^?#]*)\?([^#]*)(#.*)?$/.exec(url) ?? []
  if (query === undefined) return url
  const parameters = query.split('&').map((parameter) => {
    const [name = '', value] = parameter.split(/=(.*)/s)
    const isSecret = value && (SECRET_NAME.test(name) || value.length >= SECRET_LENGTH)
    return isSecret ? `${name}=${MASK}` : parameter
  })
  return `${before}?${parameters.join('&')}${after}`
}
