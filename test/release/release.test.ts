import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { BUILDS_MS, type Clone, createClone } from './clone.ts'

const NEXT = '900.1.0'

/** A release builds the site of the documentation. */
const SITE = await requirePackages('scripts/site')

let clone: Clone
let start: string

beforeAll(async () => {
  clone = await createClone()
  // After a release, the changelog has nothing unreleased.
  await change('CHANGELOG.md', (text) =>
    text.replace('## [Unreleased]\n', '$&\n### Added\n\n- A change.\n'),
  )
  await commit()
  start = await clone.git('rev-parse', 'HEAD')
})
afterAll(async () => await clone?.[Symbol.asyncDispose]())

async function change(file: string, edit: (text: string) => string): Promise<void> {
  const changed = path.join(clone.folder, file)
  await writeFile(changed, edit(await readFile(changed, 'utf8')))
}

const commit = () => clone.git('commit', '--quiet', '--all', '--message', 'Change a file')

const release = (...args: readonly string[]) =>
  clone.run(process.execPath, 'scripts/release/main.ts', ...args)

/** What a release changes. */
const state = async () => ({
  head: await clone.git('rev-parse', 'HEAD'),
  tags: await clone.git('tag'),
  status: await clone.git('status', '--porcelain'),
  output:
    existsSync(path.join(clone.folder, 'dist')) && (await readdir(path.join(clone.folder, 'dist'))),
})

/** A release with these arguments fails with this message, and changes nothing. */
async function expectRefusal(message: string, ...args: readonly string[]): Promise<void> {
  const before = await state()
  const { code, output } = await release(...args)
  expect([code, output]).toEqual([1, expect.stringContaining(message)])
  expect(await state()).toEqual(before)
}

describe('a release is refused, and changes nothing,', () => {
  beforeAll(async () => {
    await clone.git('tag', 'v0.10.0')
    return () => clone.git('tag', '--delete', 'v0.10.0')
  })
  afterEach(async () => {
    await clone.git('reset', '--quiet', '--hard', start)
    await clone.git('clean', '--quiet', '--force')
  })

  test.each([
    ['without a version', [], 'error: "" is not a version'],
    ['with what is not a version', ['next'], 'error: "next" is not a version'],
    ['with a development version', [VERSION], `error: "${VERSION}" is not a version`],
    ['with a version that is released', ['0.10.0'], 'error: 0.10.0 is released already'],
    ['with a candidate', ['0.11.0-rc.1'], 'error: "0.11.0-rc.1" is not a version'],
    ['with a lower version', ['0.9.12'], 'error: 0.9.12 is not higher than 0.10.0'],
  ])('%s', async (_, args, message) => await expectRefusal(message, ...args))

  test('if a file is changed, or one is new', async () => {
    await change('README.md', (text) => `${text}\n`)
    await writeFile(path.join(clone.folder, 'new.md'), '')
    const { code, output } = await release(NEXT)
    expect([code, output]).toEqual([1, expect.stringContaining('Commit or stash these changes')])
    expect(output).toContain('README.md')
    expect(output).toContain('new.md')
  })

  test('if the changelog has nothing unreleased', async () => {
    await change('CHANGELOG.md', (text) =>
      text.replace(/(?<=## \[Unreleased\]\n)[\s\S]*?(?=\n## |$)/, ''),
    )
    await commit()
    await expectRefusal('there is nothing to release', NEXT)
  })

  test('if a package cannot be packed', async () => {
    const broken = (text: string) => text.replace(/"prepack": "[^"]*"/, '"prepack": "false"')
    await change('packages/posthorn/package.json', broken)
    await commit()
    const before = await state()
    const { code, output } = await release(NEXT)
    expect([code, output]).toEqual([1, expect.stringContaining('npm pack')])
    expect(output).toContain('Nothing has been changed.')
    expect({ ...(await state()), output: [] }).toEqual({ ...before, output: [] })
    expect(existsSync(path.join(clone.folder, `dist/posthorn-${NEXT}`))).toBe(false)
  })
})

describe('a release', SITE, () => {
  let archives: string

  beforeAll(async () => {
    // As the page about Docker Compose says. Git ignores them.
    await writeFile(path.join(clone.folder, 'deploy/.env'), 'POSTGRES_PASSWORD=secret')
    await writeFile(path.join(clone.folder, 'deploy/docker/posthorn-0.2.0.tgz'), '')
    const { code, output } = await release(NEXT)
    expect(output).toContain(`Tagged v${NEXT}`)
    expect(code).toBe(0)
    archives = path.join(clone.folder, `dist/posthorn-${NEXT}`)
  }, BUILDS_MS)

  test('tags a commit with the version, and goes on with the next development version', async () => {
    expect(await clone.git('status', '--porcelain', '--ignored', 'packages/posthorn')).toBe('')
    expect(await clone.git('status', '--porcelain')).toBe('')
    expect(await clone.git('log', '--format=%s', `${start}..HEAD`)).toBe(
      `Begin 900.2.0-dev\nRelease ${NEXT}`,
    )
    expect(await clone.git('rev-list', '-n', '1', `v${NEXT}`)).toBe(
      await clone.git('rev-parse', 'HEAD~1'),
    )
    const versionAt = async (ref: string, file: string) =>
      JSON.parse(await clone.git('show', `${ref}:${file}`)).version
    for (const file of ['package.json', 'packages/posthorn/package.json', 'package-lock.json']) {
      expect(await versionAt(`v${NEXT}`, file)).toBe(NEXT)
      expect(await versionAt('HEAD', file)).toBe('900.2.0-dev')
    }
    const { output: old } = await clone.run('git', 'grep', '--fixed-strings', VERSION, `v${NEXT}`)
    expect(old).toBe('')
    expect(await clone.git('show', `v${NEXT}:deploy/helm/posthorn/Chart.yaml`)).toContain(
      `appVersion: ${NEXT}`,
    )
    expect(await clone.git('show', `v${NEXT}:CHANGELOG.md`)).toMatch(
      /^## \[Unreleased\]\n\n## 900\.1\.0 - \d{4}-\d\d-\d\d\n\n### /m,
    )
  })

  test('packs every package, with checksums', async () => {
    const sums = await readFile(path.join(archives, 'SHA256SUMS'), 'utf8')
    const lines = sums.trim().split('\n')
    const listed = lines.map((line) => line.split('  '))
    const packages = globSync('packages/*/package.json', { cwd: clone.folder })
    expect(listed.map(([, name]) => name)).toHaveLength(packages.length)
    expect(listed.map(([, name]) => name)).toContain(`posthorn-${NEXT}.tgz`)
    // npm may publish a package of a scope as private.
    for (const file of packages) {
      const text = await readFile(path.join(clone.folder, file), 'utf8')
      const { name, publishConfig } = JSON.parse(text)
      if (name.startsWith('@')) expect(publishConfig, name).toEqual({ access: 'public' })
    }
    for (const [sum, name = ''] of listed) {
      const content = await readFile(path.join(archives, name))
      expect(createHash('sha256').update(content).digest('hex')).toBe(sum)
    }
    const archive = path.join(archives, `posthorn-${NEXT}.tgz`)
    const { output: packed } = await clone.run('tar', '-tzf', archive)
    expect(packed).toContain('package/deploy/docker/Dockerfile\n')
    expect(packed).toContain('package/dist/console/index.html\n')
    expect(packed).toContain('package/dist/docs/404.html\n')
    expect(packed).toContain('package/dist/docs/llms.txt\n')
    expect(packed).not.toMatch(/[.]env\n|[.]tgz\n/)
  })
})
