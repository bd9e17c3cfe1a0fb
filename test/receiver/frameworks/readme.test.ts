import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirePackages } from '../../support/installed-packages.ts'
import {
  createReceiverProject,
  linkPackages,
  type ReceiverProject,
  readmeFiles,
} from '../support/packed-receiver.ts'

const TSC = path.join(import.meta.dirname, '../../../node_modules/.bin/tsc')

/** The code of a user that the programs of the README import. */
const STORE_EVENT = `import type { WebhookEvent } from '@posthorn/receiver'
export async function storeEvent({ id, type }: WebhookEvent): Promise<void> {
  console.log(id, type)
}`

const installed = await requirePackages('test/receiver/frameworks')

describe('the README of @posthorn/receiver', installed, () => {
  let project: ReceiverProject
  let files: string[]

  beforeAll(async () => {
    project = await createReceiverProject()
    await linkPackages(project, import.meta.dirname)
    const programs = new Map(await readmeFiles())
    files = [...programs.keys()]
    await write('package.json', '{ "type": "module" }')
    await write('store-event.ts', STORE_EVENT)
    for (const [name, code] of programs) await write(name, code)
  })
  afterAll(async () => await project?.[Symbol.asyncDispose]())

  async function write(name: string, code: string): Promise<void> {
    const file = path.join(project.folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }

  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, { cwd: project.folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
    )

  test('its programs compile under --strict, with the types of the frameworks', async () => {
    expect(files.length).toBeGreaterThan(9)
    const { stdout } = await typecheck(files)
    expect(stdout).toBe('')
  })

  async function typecheck(names: readonly string[]) {
    const options = ['--module', 'preserve', '--allowImportingTsExtensions', '--skipLibCheck']
    const environment = ['--lib', 'es2023,dom', '--types', 'node', '--jsx', 'preserve']
    const args = ['--ignoreConfig', '--noEmit', '--strict', ...options, ...environment, ...names]
    return await run(TSC, args)
  }

  test('its test of a receiver passes, and fails if the receiver takes every request', async () => {
    const passed = await run(process.execPath, ['--test', 'receiver.test.ts'])
    expect(passed.stdout).toMatch(/pass 2\n/)
    await write(
      'fetch.ts',
      'export const POST = async (_: Request) => new Response(null, { status: 204 })',
    )
    const failed = await run(process.execPath, ['--test', 'receiver.test.ts'])
    expect(failed.stdout).toMatch(/fail 1\n/)
  })
})
