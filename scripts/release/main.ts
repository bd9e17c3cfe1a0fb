import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { releaseChangelog, releasedVersions } from './changelog.ts'
import { developmentAfter, isHigher, isRelease, withVersion } from './versions.ts'

/*
 * `npm run release -- 0.3.0`: sets the version in every file that names it, moves what is unreleased in the changelog under
 * it, packs all packages with their checksums, commits and tags; then commits the next development version. If a step
 * fails, the clone is as before. Nothing is pushed or published.
 */
const ROOT = path.join(import.meta.dirname, '../..')
const CHANGELOG = path.join(ROOT, 'CHANGELOG.md')

async function release(version: string): Promise<void> {
  const plan = await prepare(version)
  const { commit, development, mentions } = plan
  // Ctrl+C also ends the programs that run, which is a failed step.
  process.on('SIGINT', () => {})
  const packed = `${plan.output}.incomplete`
  await rm(packed, { recursive: true, force: true })
  await mkdir(packed, { recursive: true })
  let isTagged = false
  try {
    await setVersion(mentions, development, version)
    await writeFile(CHANGELOG, plan.changelog)
    await pack(packed)
    await git('commit', '--quiet', '--all', '--message', `Release ${version}`)
    await git('tag', '--annotate', `v${version}`, '--message', `Posthorn ${version}`)
    isTagged = true
    await setVersion(mentions, development, plan.next)
    await git('commit', '--quiet', '--all', '--message', `Begin ${plan.next}`)
    await rename(packed, plan.output)
  } catch (error) {
    await rm(packed, { recursive: true, force: true })
    if (isTagged) await git('tag', '--delete', `v${version}`)
    await git('reset', '--quiet', '--hard', commit)
    throw error
  }
  const output = path.relative(process.cwd(), plan.output)
  console.log(`Tagged v${version}. The packages and SHA256SUMS are in ${output}. Now:

  git push origin HEAD v${version}
  for package in ${output}/*.tgz; do npm publish "$package"; done`)
}

interface Plan {
  /** The commit to return to. */
  readonly commit: string
  readonly changelog: string
  /** The version until now. */
  readonly development: string
  /** The files that name it, with their texts. */
  readonly mentions: ReadonlyMap<string, string>
  /** The version from then on. */
  readonly next: string
  readonly output: string
}

/** Throws if the version cannot be released, before anything is changed. */
async function prepare(version: string): Promise<Plan> {
  if (!isRelease(version)) {
    throw new Error(`"${version}" is not a version: give one such as npm run release -- 0.3.0`)
  }
  const changes = await git('status', '--porcelain')
  if (changes !== '') throw new Error(`Commit or stash these changes first:\n${changes}`)
  const changelog = await readFile(CHANGELOG, 'utf8')
  const tags = (await git('tag', '--list', 'v*')).split('\n').map((tag) => tag.slice(1))
  const used = [...releasedVersions(changelog), ...tags.filter(isRelease)]
  if (used.includes(version)) throw new Error(`${version} is released already.`)
  const higher = used.find((other) => !isHigher(version, other))
  if (higher !== undefined) throw new Error(`${version} is not higher than ${higher}.`)
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  const development: string = manifest.version
  if (!development.endsWith('-dev')) {
    throw new Error(`package.json has the version ${development}, which does not end in -dev.`)
  }
  const output = path.join(ROOT, `dist/posthorn-${version}`)
  if (existsSync(output)) throw new Error(`${output} is in the way: remove it.`)
  return {
    commit: await git('rev-parse', 'HEAD'),
    changelog: releaseChangelog(changelog, version, new Date().toISOString().slice(0, 10)),
    development,
    mentions: await filesThatName(development),
    next: developmentAfter(version),
    output,
  }
}

async function filesThatName(version: string): Promise<Map<string, string>> {
  const args = ['--files-with-matches', '--fixed-strings', version, '--', ':!CHANGELOG.md']
  const files = (await git('grep', ...args)).split('\n')
  const texts = files.map(async (file) => await readFile(path.join(ROOT, file), 'utf8'))
  const read = await Promise.all(texts)
  return new Map(files.map((file, i) => [file, read[i] as string]))
}

async function setVersion(
  mentions: ReadonlyMap<string, string>,
  development: string,
  version: string,
): Promise<void> {
  for (const [file, text] of mentions) {
    await writeFile(path.join(ROOT, file), withVersion(text, development, version))
  }
}

/** Builds the console and the documentation, packs every package that is published, and writes the checksums as `sha256sum --check` reads them. */
async function pack(folder: string): Promise<void> {
  const packages = globSync('packages/*/package.json', { cwd: ROOT }).map(path.dirname)
  const workspaces = packages.toSorted().map((name) => `--workspace=${name}`)
  await run('npm', 'run', 'build:docs')
  await run('npm', 'pack', ...workspaces, '--pack-destination', folder)
  const archives = (await readdir(folder)).toSorted()
  if (archives.length !== packages.length) {
    throw new Error(`${packages.length} packages became ${archives.length} archives.`)
  }
  const sums = archives.map(async (archive) => {
    const content = await readFile(path.join(folder, archive))
    return `${createHash('sha256').update(content).digest('hex')}  ${archive}\n`
  })
  await writeFile(path.join(folder, 'SHA256SUMS'), (await Promise.all(sums)).join(''))
}

const git = (...args: readonly string[]) => run('git', ...args)

/** Runs a program to its end. Its output is in the error if it fails. */
async function run(program: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: ROOT, maxBuffer: 64 * 2 ** 20, shell: process.platform === 'win32' }
  const { stdout } = await promisify(execFile)(program, args, options).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
    },
  )
  return stdout.trim()
}

try {
  await release(process.argv[2] ?? '')
} catch (error) {
  console.error(`error: ${(error as Error).message}\nNothing has been changed.`)
  process.exitCode = 1
}
