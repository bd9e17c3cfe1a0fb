import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { testEnvironment } from '../support/app.ts'
import { collectOutput } from '../support/collect-output.ts'
import { createTestDatabase } from '../support/database.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { logLine } from '../support/log-lines.ts'
import { runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { withDatabase } from '../support/with-database.ts'

/*
 * What `posthorn start` tells systemd as a service of `Type=notify`. A program listens in place of systemd: Node has no
 * datagram sockets of Unix.
 */

/** Prints a line for each message. Closes the files that come along, as systemd does, which is what its program waits for. */
const LISTENER = `
import socket, sys
name = sys.argv[1]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind('\\0' + name[1:] if name[0] == '@' else name)
print('bound', flush=True)
while True:
    print(manager.recv(4096).decode().replace('\\n', ' '), flush=True)
`

async function startManager(socket: string) {
  const child = spawn(programPath('python3'), ['-c', LISTENER, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const printed = collectOutput(child)
  const linesOf = () => printed.stdout.split('\n').slice(0, -1)
  await until(() => linesOf().includes('bound'), 'the socket is bound')
  return {
    get messages() {
      // The program also sends a message to wait for.
      return linesOf().filter((line) => /^(READY|STOPPING)=/.test(line))
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

describe('systemd', needs('python3', 'systemd-notify'), async () => {
  const folder = await useFolder('notify')
  let database: Database
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const environmentWith = (socket: string) => ({
    ...testEnvironment(database.url),
    POSTHORN_LOG_LEVEL: 'info',
    NOTIFY_SOCKET: socket,
  })

  test.each([
    ['all', () => path.join(folder, 'notify')],
    ['api', () => `@posthorn-${process.pid}`],
    ['worker', () => path.join(folder, 'notify-worker')],
  ])('learns that a process of the role %s is ready, and that it stops', async (role, socketOf) => {
    const socket = socketOf()
    await using manager = await startManager(socket)
    const environment = environmentWith(socket)
    await using posthorn = startPosthorn(['start', '--role', role], { environment })
    await until(() => manager.messages.length > 0, 'systemd has a message', 60_000)
    expect(manager.messages).toEqual(['READY=1'])
    // What is ordered after the service can use it at once.
    const { url } = await logLine(posthorn, { msg: 'ready' })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    posthorn.child.kill('SIGTERM')
    expect(await posthorn.ended).toBe(0)
    await until(() => manager.messages.length > 1, 'systemd has another message')
    expect(manager.messages).toEqual(['READY=1', 'STOPPING=1'])
  })

  test('starts a process again that finds no Postgres, and not one with a wrong password or an invalid setting', async () => {
    const socket = path.join(folder, 'notify-failing')
    await using manager = await startManager(socket)
    const wrongPassword = new URL(database.url)
    wrongPassword.password = 'wrong'
    const wrongDatabase = withDatabase(database.url, 'no_such_database')
    const start = async (changed: Record<string, string>) =>
      await runPosthorn(['start'], { environment: { ...environmentWith(socket), ...changed } })
    const unreachable = await start({ DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/posthorn' })
    expect(unreachable.code).toBe(1)
    expect(unreachable.stderr).toContain('ECONNREFUSED')
    expect(await start({ DATABASE_URL: wrongPassword.href })).toMatchObject({ code: 78 })
    expect(await start({ DATABASE_URL: wrongDatabase })).toMatchObject({ code: 78 })
    expect(await start({ PORT: 'wrong' })).toMatchObject({ code: 78 })
    expect(manager.messages).toEqual([])
  })

  test('without a socket that works, Posthorn runs and says so', async () => {
    const environment = environmentWith(path.join(folder, 'missing'))
    await using posthorn = startPosthorn(['start', '--role', 'worker'], { environment })
    await logLine(posthorn, { msg: 'systemd-notify failed, so systemd does not know this state' })
    posthorn.child.kill('SIGTERM')
    expect(await posthorn.ended).toBe(0)
  })
})
