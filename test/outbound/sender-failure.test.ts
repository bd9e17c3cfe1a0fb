import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openReceiver } from './sending.ts'

const PROGRAM = fileURLToPath(new URL('no-free-files-main.ts', import.meta.url))
const LIMITED = 'ulimit -n 128 && exec "$0" "$@"'

test('a machine without free files is not taken for a receiver that is down', async () => {
  const receiver = await openReceiver()
  const args = ['-c', LIMITED, process.execPath, PROGRAM, String(receiver.port)]
  const { stdout } = await promisify(execFile)('/bin/sh', args)
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'failed',
    code: 'sender_failed',
    reason: 'Posthorn could not open a connection on its own machine (EMFILE).',
  })
})
