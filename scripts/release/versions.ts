/** `MAJOR.MINOR.PATCH`, of a release. */
const RELEASE = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

export function isRelease(version: string): boolean {
  return RELEASE.test(version)
}

export function isHigher(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0
}

/** The version between a release and the next one, which usually adds something. */
export function developmentAfter(release: string): string {
  const [major, minor] = release.split('.').map(Number)
  return `${major}.${(minor as number) + 1}.0-dev`
}

/** A text with another version in place of each mention of a version. */
export function withVersion(text: string, version: string, other: string): string {
  const literally = version.replaceAll('.', '\\.')
  return text.replaceAll(new RegExp(`(?<![\\d.])${literally}(?![\\w-]|\\.\\d)`, 'g'), other)
}
