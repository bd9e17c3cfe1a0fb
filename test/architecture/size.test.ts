import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CHECK = path.join(import.meta.dirname, 'size.ts')

let house: string

beforeEach(async () => {
  house = await mkdtemp(path.join(tmpdir(), 'posthorn size '))
  await write('.ci/size.json', JSON.stringify({ 'src/webhooks': 3, test: 1 }))
  await write('src/webhooks/webhook.ts', 'one\n\ntwo\n')
  await write('src/webhooks/health/health.ts', 'three\n')
  await write('test/files.ts', 'one\n')
  await git('init', '--quiet')
  await commit()
})
afterEach(() => rm(house, { recursive: true, force: true }))

const run = promisify(execFile)

async function git(...args: readonly string[]): Promise<void> {
  const person = ['-c', 'user.name=Posthorn', '-c', 'user.email=tests@posthorn.example']
  await run('git', [...person, ...args], { cwd: house })
}

async function commit(): Promise<void> {
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'Change the house')
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(house, file)), { recursive: true })
  await writeFile(path.join(house, file), text)
}

/** Runs the check. Returns what it says is wrong. */
async function check(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] }
  try {
    return (await run(process.execPath, [CHECK, ...args], { cwd: house, env })).stderr
  } catch (error) {
    return (error as { stderr: string }).stderr
  }
}

test('rooms within their bounds pass, and blank lines count nothing', async () => {
  expect(await check()).toBe('')
})

test('a room one line too large fails, by name, and one without a bound', async () => {
  await write('src/webhooks/webhook.ts', 'one\ntwo\nthree\n')
  await write('src/later/later.ts', 'one\n')
  await git('add', '--all')
  expect(await check()).toBe(
    'src/later has 1 lines, and may have 0.\nsrc/webhooks has 4 lines, and may have 3.\n',
  )
})

test('bounds may be lowered and moved, and not raised', async () => {
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await write('.ci/size.json', JSON.stringify({ 'src/webhooks': 3, 'src/later': 1 }))
  await rm(path.join(house, 'test'), { recursive: true })
  await commit()
  expect(await check()).toBe('')
  await write('.ci/size.json', JSON.stringify({ 'src/webhooks': 4, 'src/later': 1 }))
  await commit()
  expect(await check()).toBe(
    'The bounds of .ci/size.json sum up to 5, and were 4: they only go down.\n',
  )
})

test('the bounds become what the rooms have, unless one is too large', async () => {
  const bounds = async () => JSON.parse(await readFile(path.join(house, '.ci/size.json'), 'utf8'))
  await write('src/webhooks/webhook.ts', 'one\n')
  await check('--lower')
  expect(await bounds()).toEqual({ 'src/webhooks': 2, test: 1 })
  await write('test/files.ts', 'one\ntwo\n')
  await check('--lower')
  expect(await bounds()).toEqual({ 'src/webhooks': 2, test: 1 })
})
