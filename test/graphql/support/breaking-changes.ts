import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema } from 'graphql'

export interface Release {
  readonly tag: string
  /** The `schema.graphql` of the release. */
  readonly schema: string
}

/** The last release before the current commit. Null if there is none or the clone has no history. */
export async function lastRelease(directory: string): Promise<Release | null> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: directory })).stdout
  try {
    const tag = (await git('describe', '--tags', '--abbrev=0', '--match', 'v*')).trim()
    return { tag, schema: await git('show', `${tag}:schema.graphql`) }
  } catch {
    return null
  }
}

/**
 * The changes that break clients of a release and are missing in the changelog. A change is listed there if a list under a
 * heading `Breaking`, above that release, has its path in backticks: `Attempt.requestUrl`.
 */
export async function unmarkedBreakingChanges(
  { tag, schema }: Release,
  current: string,
  changelog: string,
): Promise<string[]> {
  const marked = markedPaths(changelog, tag.replace(/^v/, ''))
  const changes = await diff(buildSchema(schema), buildSchema(current))
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .filter(({ path }) => path === undefined || !marked.has(path))
    .map(({ path, message }) => `${path}: ${message}`)
}

function markedPaths(changelog: string, version: string): ReadonlySet<string> {
  const [since = ''] = changelog.split(
    new RegExp(`^## \\[?v?${version.replaceAll('.', '\\.')}\\b`, 'm'),
  )
  const breaking = since.split(/^(?=##)/m).filter((part) => /^#{2,} .*\bBreaking\b/.test(part))
  return new Set([...breaking.join('').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
}
