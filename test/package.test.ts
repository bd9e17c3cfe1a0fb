import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const execute = promisify(execFile)

/** The published package, in the `node_modules` of a project that uses it. */
let project: string
let installed: string

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'posthorn package '))
  installed = path.join(project, 'node_modules/posthorn')
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc')
  await execute(
    tsc,
    ['--project', 'tsconfig.build.json', '--outDir', path.join(installed, 'dist')],
    {
      cwd: ROOT,
    },
  )
  await execute(
    tsc,
    ['--project', 'src/portal-element', '--outDir', path.join(installed, 'dist/portal-element')],
    { cwd: ROOT },
  )
  for (const file of [
    'package.json',
    'dist/console',
    'prisma/migrations',
    'src/cli/posthorn.js',
    'schema.graphql',
  ]) {
    await cp(path.join(ROOT, file), path.join(installed, file), { recursive: true })
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'))
})
afterAll(async () => await rm(project, { recursive: true, force: true }))

test('posthorn/receiver can be imported by name, and verifies signatures', async () => {
  const { stdout } = await execute(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { sign, verify } from 'posthorn/receiver'
       const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
       const now = new Date()
       const headers = {
         'wh-id': 'msg_1',
         'wh-timestamp': String(Math.floor(now / 1000)),
         'wh-signature': await sign(secret, 'msg_1', now, '{}'),
       }
       console.log((await verify('{}', headers, secret)).ok, (await verify('{ }', headers, secret)).ok)`,
    ],
    { cwd: project },
  )
  expect(stdout.trim()).toBe('true false')
})

test('its types are complete without the types of Node or of a browser', async () => {
  const file = path.join(project, 'consumer.ts')
  await writeFile(
    file,
    `import { type Verification, verify } from 'posthorn/receiver'
     export const result: Promise<Verification> = verify(new Uint8Array(), {}, 'whsec_')`,
  )
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023', '--types', '']
  await execute(path.join(ROOT, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...options, file], {
    cwd: project,
  })
})

test('posthorn/portal-element can be imported on a server, where there is no DOM', async () => {
  const { stdout } = await execute(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { PosthornPortal } from 'posthorn/portal-element'
       console.log(typeof document, PosthornPortal.observedAttributes.join())`,
    ],
    { cwd: project },
  )
  expect(stdout.trim()).toBe('undefined src,label')
})

test('its types describe the element, its renewal and its events', async () => {
  const file = path.join(project, 'page.mts')
  await writeFile(
    file,
    `import { type PosthornPortal, type Renew, type SessionExpiring } from 'posthorn/portal-element'
     const renew: Renew = async () => 'https://webhooks.example.com/portal#token=phs_1'
     export const portal: PosthornPortal = document.createElement('posthorn-portal')
     portal.renew = renew
     portal.setAttribute('src', await renew())
     portal.addEventListener('session-expiring', (event) => {
       const { expiresAt } = (event as CustomEvent<SessionExpiring>).detail
       console.log(expiresAt.getTime())
     })
     // @ts-expect-error
     portal.renew = () => 'no promise'`,
  )
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023,dom']
  await execute(
    path.join(ROOT, 'node_modules/.bin/tsc'),
    ['--ignoreConfig', ...options, '--types', '', file],
    { cwd: project },
  )
})

test('the installed program runs', async () => {
  const program = path.join(installed, 'src/cli/posthorn.js')
  const { stdout } = await execute(process.execPath, [program, 'verify', '--help'], {
    cwd: project,
  })
  expect(stdout).toContain('Usage: posthorn verify')
})

test('the installed program serves the console from the package', async () => {
  const { stdout } = await execute(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createConsoleFiles } from './node_modules/posthorn/dist/server/console-files.js'
       const files = createConsoleFiles({ portalOrigins: [] })
       const page = await files.request('/console/webhooks')
       const [script] = /\\/console\\/assets\\/[^"]+\\.js/.exec(await page.text())
       console.log(page.status, (await files.request(script)).status)`,
    ],
    { cwd: project },
  )
  expect(stdout.trim()).toBe('200 200')
})

test('the installed program serves the schema from the package', async () => {
  const { stdout } = await execute(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { readSchema } from './node_modules/posthorn/dist/server/api-routes.js'
       console.log(readSchema().includes('type Query {'))`,
    ],
    { cwd: project },
  )
  expect(stdout.trim()).toBe('true')
})
