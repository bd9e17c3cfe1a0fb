import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import config from '../../vitest.config.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const ALL = ['deploy', 'docs', 'examples', 'pages', 'receiver', 'release', 'slow']

let repository: string

beforeAll(async () => {
  repository = await mkdtemp(path.join(tmpdir(), 'posthorn changed '))
  await git('init', '--quiet')
  await cp(path.join(ROOT, '.ci/changed'), path.join(repository, '.ci/changed'))
  await commit('README.md')
})
afterAll(() => rm(repository, { recursive: true, force: true }))

async function git(...args: readonly string[]): Promise<string> {
  const person = ['-c', 'user.name=Posthorn', '-c', 'user.email=tests@posthorn.example']
  const { stdout } = await promisify(execFile)('git', [...person, ...args], { cwd: repository })
  return stdout.trim()
}

/** Commits a new line in a file. Returns the id of the commit. */
async function commit(file: string): Promise<string> {
  const changed = path.join(repository, file)
  await mkdir(path.dirname(changed), { recursive: true })
  await writeFile(changed, 'A line.\n', { flag: 'a' })
  await git('add', '--all')
  await git('commit', '--quiet', '--message', `Change ${file}`)
  return await git('rev-parse', 'HEAD')
}

async function projects(since?: string): Promise<string[]> {
  const env = { PATH: process.env['PATH'], ...(since !== undefined && { CI_CHANGED_SINCE: since }) }
  const { stdout } = await promisify(execFile)(path.join(repository, '.ci/changed'), {
    env,
    cwd: repository,
  })
  return stdout.split('\n').filter(Boolean)
}

test('every project is either in `npm test` or named here', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  const inTest = [...scripts.test.matchAll(/--project (\w+)/g)].map(([, name]) => name)
  const projects = config.test?.projects as { test: { name: string } }[]
  expect([...inTest, ...ALL].sort()).toEqual(projects.map(({ test }) => test.name).sort())
})

test('without a merge base with the commit that is named, every project runs', async () => {
  expect(await projects()).toEqual([])
  expect(await projects('0000000000000000000000000000000000000000')).toEqual(ALL)
})

test('on the main branch itself, nothing has changed', async () => {
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  expect(await projects()).toEqual([])
})

test.each([
  ['.github/workflows/nightly.yml', []],
  ['src/lib/lru-map.ts', ['slow']],
  ['src/webhooks/webhook.ts', ['examples', 'slow']],
  ['src/cli/key.ts', ['deploy', 'docs', 'slow']],
  ['docs/operate/backups.md', ['deploy', 'docs', 'release']],
  ['docs/examples/graphql/webhooks.graphql', ['deploy', 'docs', 'examples', 'release']],
  ['deploy/helm/posthorn/values.yaml', ['deploy']],
  ['schema.graphql', ['examples', 'pages']],
  ['packages/console/pages.ts', ['pages']],
  ['test/console/portal.slow.test.ts', ['pages']],
  ['examples/react/src/main.tsx', ['examples']],
  ['examples/receivers/receiver.py', ['examples', 'slow']],
  ['packages/client/src/index.ts', ['docs', 'release', 'slow']],
  ['packages/posthorn/package.json', ['deploy', 'docs', 'release', 'slow']],
  ['packages/receiver/src/verify.ts', ['receiver', 'release', 'slow']],
  ['.ci/run', ALL],
])('a change of %s runs %j', async (file, expected) => {
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await commit(file)
  expect(await projects()).toEqual(expected)
})

test('every commit of a branch counts, and none that main has beside it', async () => {
  const start = await commit('LICENSE')
  await git('checkout', '--quiet', '-b', 'branch')
  await commit('examples/react/index.html')
  await commit('LICENSE')
  await git('checkout', '--quiet', '-b', 'trunk', start)
  await commit('deploy/helm/posthorn/values.yaml')
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await git('checkout', '--quiet', 'branch')
  expect(await projects()).toEqual(['examples'])
  expect(await projects('HEAD^1')).toEqual([])
})
