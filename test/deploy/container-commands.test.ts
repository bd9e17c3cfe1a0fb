import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { findProgram, runProgram } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import {
  blockOf,
  quoted,
  ROOT,
  runCommands,
  withReplaced,
  writePrograms,
} from './command-blocks.ts'

/*
 * The commands of docs/operate/deploying.md for Docker Compose and Kubernetes. There is neither an engine nor a cluster, so
 * programs that stand in for docker and kubectl write down their calls. The commands of Posthorn inside the containers run.
 */

const ARCHIVE = `posthorn-${VERSION}.tgz`

let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-containers-'))
  await cp(path.join(ROOT, 'deploy'), path.join(folder, 'deploy'), { recursive: true })
  const kubectl = findProgram('kubectl')
  const calls = (program: string) => quoted(path.join(folder, `${program}-calls`))
  const programs = await writePrograms(path.join(folder, 'programs'), {
    npm: `[ "$*" = "pack --workspace posthorn --pack-destination deploy/docker" ]; touch deploy/docker/${ARCHIVE}`,
    docker: `
      echo "$*" >> ${calls('docker')}
      if [ "$1 $2" = "compose run" ]; then shift 4; exec ${quoted(path.join(ROOT, 'packages/posthorn/posthorn.js'))} "$@"; fi`,
    // kubectl itself, if it is here, checks the arguments without a cluster.
    kubectl: `
      echo "$*" >> ${calls('kubectl')}
      ${kubectl === undefined ? '' : `exec ${quoted(kubectl)} "$@" --dry-run=client --output=name`}`,
    helm: `echo "$*" >> ${calls('helm')}`,
  })
  env = {
    PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
  }
})
afterAll(async () => await rm(folder, { recursive: true }))

const run = (text: string, cwd = folder) => runCommands(text, { cwd, env })

/** Removes them. */
async function callsOf(program: string): Promise<string[]> {
  const file = path.join(folder, `${program}-calls`)
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  await rm(file)
  return lines
}

describe('Docker Compose', () => {
  test(
    'gets the archive, and secrets that others cannot read; its services exist, and create the first organization and key',
    needs('openssl'),
    async () => {
      await run(blockOf('deploying.md', '--pack-destination deploy/docker'))
      expect((await stat(path.join(folder, 'deploy/docker', ARCHIVE))).isFile()).toBe(true)
      await using database = await createTestDatabase()
      env = { ...env, ...testEnvironment(database.url) }
      const inDeploy = path.join(folder, 'deploy')
      const printed = await run(blockOf('deploying.md', 'for name in POSTGRES'), inDeploy)
      expect(printed).toMatch(/org_\w+[\s\S]*ph[a-z]*_\w+/)
      await run(blockOf('deploying.md', 'docker compose --profile monitoring up'), inDeploy)
      await run(blockOf('deploying.md', '--scale worker=4'), inDeploy)
      await run(blockOf('deploying.md', 'docker compose build migrate && docker'), inDeploy)

      const file = path.join(inDeploy, '.env')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const written = [...(await readFile(file, 'utf8')).matchAll(/^(\w+)=(.+)$/gm)]
      const compose = await readFile(path.join(ROOT, 'deploy/compose.yaml'), 'utf8')
      const required = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
      expect(new Set(written.map(([, name]) => name))).toEqual(new Set(required))
      expect(new Set(written.map(([, , value]) => value)).size).toBe(written.length)

      const calls = await callsOf('docker')
      expect(calls).toHaveLength(8)
      for (const [, service] of calls.join('\n').matchAll(/(?:build|run --rm|--scale) (\w+)/g))
        expect(compose).toMatch(new RegExp(`^  ${service}:$`, 'm'))
      expect(compose).toContain('profiles: [monitoring]')
    },
  )

  test('is not needed: docker run has the restrictions of the file', async () => {
    await run(blockOf('deploying.md', 'docker run --read-only'))
    const [call = ''] = await callsOf('docker')
    expect(call).toMatch(/ --stop-timeout 15 .* posthorn:[\w.-]+$/)
    const docker = findProgram('docker')
    if (docker === undefined) return
    const known = await runCommands(`${quoted(docker)} run --help`, { cwd: folder })
    for (const [option] of call.matchAll(/--[\w-]+/g)) expect(known).toContain(option)
  })
})

describe('Kubernetes', () => {
  test('gets secrets with the keys that the chart reads', needs('openssl'), async () => {
    await run(blockOf('deploying.md', 'kubectl create namespace'))
    await run(blockOf('deploying.md', 'create secret generic posthorn-dashboards'))
    const calls = await callsOf('kubectl')
    expect(calls).toHaveLength(4)
    const values = await readFile(path.join(ROOT, 'deploy/helm/posthorn/values.yaml'), 'utf8')
    for (const [, key = '', file = key] of calls
      .join('\n')
      .matchAll(/--from-file=([\w-]+)(?:=(\S+))?/g)) {
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600)
      expect(values).toMatch(new RegExp(`: ${key}$`, 'm'))
    }
  })

  test('accepts the chart with the values of the page', {
    ...needs('helm'),
    timeout: 60_000,
  }, async () => {
    await writeFile(
      path.join(folder, 'posthorn-values.yaml'),
      blockOf('deploying.md', 'repository: registry.example.com/posthorn'),
    )
    await writeFile(path.join(folder, 'keda.yaml'), blockOf('deploying.md', 'overduePerWorker'))
    await run(blockOf('deploying.md', 'helm install posthorn'))
    await run(blockOf('deploying.md', 'helm upgrade posthorn'))
    const [call = '', upgrade] = await callsOf('helm')
    expect(upgrade).toBe(withReplaced(call, { 'install ': 'upgrade ' }))
    // Without a cluster, Helm can only render.
    const args = withReplaced(call, { 'install ': 'template ' }).split(' ')
    const options = [...args, '--kube-version', '1.30.0', '--values', 'keda.yaml']
    const { code, stdout, stderr } = await runProgram('helm', options, { cwd: folder })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('kind: ScaledObject')
    expect(stdout).toContain('registry.example.com/posthorn')
    const wrong = ['--set', 'keda.overduePerWorkers=1']
    expect((await runProgram('helm', [...options, ...wrong], { cwd: folder })).code).not.toBe(0)
  })
})
