const UNRELEASED = '## [Unreleased]'

/** The versions that a changelog names, the latest first. */
export function releasedVersions(changelog: string): string[] {
  return [...changelog.matchAll(/^## \[?(\d+\.\d+\.\d+)\]?/gm)].map(([, version = '']) => version)
}

/** The changelog with what is unreleased under a version and its date. Throws if nothing is unreleased. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const [before, rest] = changelog.split(`${UNRELEASED}\n`)
  if (rest === undefined) throw new Error(`CHANGELOG.md has no heading ${UNRELEASED}.`)
  const [unreleased = ''] = rest.split(/^## /m)
  if (!/^- /m.test(unreleased)) {
    throw new Error(`CHANGELOG.md has no line under ${UNRELEASED}: there is nothing to release.`)
  }
  return `${before}${UNRELEASED}\n\n## ${version} - ${date}\n${rest}`
}
