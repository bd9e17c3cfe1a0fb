import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Folders of these have a number of lines each in `.ci/size.json`; other folders have none. */
const BUILDINGS = ['src', 'packages', 'prisma', 'scripts', 'test']
const COUNTED = /\.(ts|tsx|js|mjs|cjs|css|graphql|sql|prisma|astro|json|yaml|go|py)$/
const NOT_WRITTEN = /(^|\/)(package-lock|tsconfig[^/]*)\.json$/
const SIZES = '.ci/size.json'

/** Lines that are not blank, by folder: `src/webhooks` for its files and those of the folders in it, `test` for files directly in it. */
export type Sizes = Record<string, number>

export function countLines(root: string): Sizes {
  const sizes: Sizes = {}
  const listed = execFileSync('git', ['ls-files', '-z', ...BUILDINGS], { cwd: root })
  for (const file of listed.toString().split('\0')) {
    if (!COUNTED.test(file) || NOT_WRITTEN.test(file) || !existsSync(path.join(root, file)))
      continue
    const room = file.split('/').slice(0, -1).slice(0, 2).join('/')
    const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
    sizes[room] = (sizes[room] ?? 0) + lines.filter((line) => line.trim() !== '').length
  }
  return sizes
}

/** What is larger than it may be: a folder, or a bound itself that was raised. */
export function tooLarge(sizes: Sizes, bounds: Sizes, earlierBounds: Sizes = bounds): string[] {
  const rooms = Object.entries(sizes)
    .filter(([room, lines]) => lines > (bounds[room] ?? 0))
    .map(([room, lines]) => `${room} has ${lines} lines, and may have ${bounds[room] ?? 0}.`)
  const [sum, earlier] = [total(bounds), total(earlierBounds)]
  const raised =
    sum > earlier
      ? [`The bounds of ${SIZES} sum up to ${sum}, and were ${earlier}: they only go down.`]
      : []
  return [...rooms, ...raised]
}

const total = (sizes: Sizes) => Object.values(sizes).reduce((sum, lines) => sum + lines, 0)

/** The bounds at the merge base with the main branch; null if they are not known. */
function boundsBefore(root: string): Sizes | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  try {
    const since = process.env['CI_CHANGED_SINCE'] || 'origin/main'
    return JSON.parse(git('show', `${git('merge-base', 'HEAD', since).trim()}:${SIZES}`))
  } catch {
    return null
  }
}

/** Usage: node test/architecture/size.ts [--lower]. --lower: the bounds become what the folders have. */
if (import.meta.main) {
  const root = process.cwd()
  const sizes = countLines(root)
  const file = path.join(root, SIZES)
  const bounds: Sizes = JSON.parse(readFileSync(file, 'utf8'))
  for (const [room, lines] of Object.entries(sizes).toSorted()) {
    console.log(`${String(lines).padStart(7)} of ${String(bounds[room] ?? 0).padStart(7)}  ${room}`)
  }
  const faults = tooLarge(sizes, bounds, boundsBefore(root) ?? bounds)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
  else if (process.argv.includes('--lower')) {
    writeFileSync(
      file,
      `${JSON.stringify(Object.fromEntries(Object.entries(sizes).toSorted()), null, 2)}\n`,
    )
  }
}
