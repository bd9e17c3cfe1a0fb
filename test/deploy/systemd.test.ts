import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { useFolder } from '../support/use-folder.ts'

const FOLDER = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url))
const execute = promisify(execFile)

const folder = await useFolder('systemd')
/** The unit, with a program that is here, and whose path systemd accepts. */
let unit: string

beforeAll(async () => {
  unit = path.join(folder, 'posthorn.service')
  const text = await readFile(path.join(FOLDER, 'posthorn.service'), 'utf8')
  await writeFile(unit, text.replaceAll('/usr/bin/node', '/bin/sh'))
})

test(
  'systemd finds no fault in the unit, and finds one that is added',
  needs('systemd-analyze'),
  async () => {
    const { stderr } = await verify(unit)
    expect(stderr).toBe('')
    const broken = path.join(folder, 'broken.service')
    await writeFile(broken, `${await readFile(unit, 'utf8')}\n[Service]\nProtectSystems=strict\n`)
    expect((await verify(broken)).stderr).toMatch(/Unknown key (name )?'ProtectSystems'/)
  },
)

test('systemd rates the exposure of the service as low', needs('systemd-analyze'), async () => {
  const options = ['security', '--offline=true', '--no-pager', '--threshold=20', unit]
  const { stdout } = await execute(programPath('systemd-analyze'), options)
  expect(stdout).toMatch(/Overall exposure level for posthorn\.service: [01]\.\d OK/)
})

test('systemd creates a user that cannot log in', needs('systemd-sysusers'), async () => {
  await mkdir(path.join(folder, 'etc'))
  await execute(programPath('systemd-sysusers'), [
    `--root=${folder}`,
    path.join(FOLDER, 'posthorn.sysusers.conf'),
  ])
  expect(await readFile(path.join(folder, 'etc/passwd'), 'utf8')).toMatch(
    /^posthorn:x:\d+:\d+:Posthorn, a webhook sender:\/:\/usr\/sbin\/nologin$/m,
  )
})

test('the unit sets only settings of Posthorn, and the secrets as files', async () => {
  const text = await readFile(unit, 'utf8')
  const set = [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name]) => name)
  expect(
    set.filter(
      (name) => name !== 'NODE_ENV' && !Object.hasOwn(SETTINGS, (name ?? '').replace(/_FILE$/, '')),
    ),
  ).toEqual([])
  const files = [...text.matchAll(/^Environment=\w+_FILE=%d\/(\S+)$/gm)].map(([, name]) => name)
  const loaded = [...text.matchAll(/^LoadCredential=([^:]+):\/etc\/posthorn\/\1$/gm)]
  expect(files).toEqual(loaded.map(([, name]) => name))
})

test('the unit does not start a process again whose settings are wrong, and any other that failed', async () => {
  const text = await readFile(unit, 'utf8')
  // test/deploy/systemd-notify.test.ts has the starts that exit with this status.
  for (const line of [
    'Restart=on-failure',
    'RestartPreventExitStatus=78',
    'StartLimitIntervalSec=0',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})

async function verify(file: string) {
  // A failure also has its output.
  return await execute(programPath('systemd-analyze'), ['verify', '--man=no', file]).catch(
    (error: { stderr: string }) => error,
  )
}
