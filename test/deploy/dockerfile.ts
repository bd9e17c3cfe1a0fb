import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** What a Dockerfile builds, without a container engine: the files of its last stage, and how to run them. */
export interface Image {
  /** The folder with the files that the Dockerfile adds to its base. */
  readonly root: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly stopSignal: string
  readonly command: (args?: readonly string[]) => string[]
}

/** Runs the steps of a Dockerfile by script, each stage in a folder of its own, with the Node and npm of this process. */
export async function buildDockerfile(
  file: string,
  context: string,
  folder: string,
): Promise<Image> {
  const stages = new Map<string, string>()
  let root = ''
  let workdir = '/'
  let settings: Record<string, string> = {}
  const args: Record<string, string> = {}
  const inStage = (target: string) => path.join(root, path.resolve(workdir, target))

  for (const [instruction, rest] of parse(await readFile(file, 'utf8'))) {
    if (instruction === 'ARG') {
      const [name = '', value = ''] = rest.split('=')
      args[name] = value
    } else if (instruction === 'FROM') {
      const [image = '', name = 'last'] = rest.split(' AS ')
      const base = image.replaceAll(/\$\{(\w+)\}/g, (_, arg) => args[arg] ?? '')
      if (base !== 'node:24-slim')
        throw new Error(`The steps are written for another base: ${base}`)
      root = path.join(folder, name)
      stages.set(name, root)
      workdir = '/'
      settings = {}
    } else if (instruction === 'WORKDIR') {
      workdir = path.resolve(workdir, rest)
      await execute('sh', ['-ec', 'umask 022; mkdir -p "$1"', 'sh', inStage('.')])
    } else if (instruction === 'COPY') {
      const [, stage, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? []
      const from = stage === undefined ? context : stages.get(stage)
      if (from === undefined) throw new Error(`There is no stage for COPY ${rest}`)
      await copy(from, source, inStage(target), target.endsWith('/'))
    } else if (instruction === 'RUN') {
      // A step with an absolute path would change this machine.
      if (/(^|[\s=])\//.test(rest)) throw new Error(`RUN has an absolute path: ${rest}`)
      const env = { ...process.env, npm_config_prefer_offline: 'true' }
      // An engine has this umask.
      await execute('sh', ['-ec', `umask 022; ${rest}`], { cwd: inStage('.'), env })
    } else {
      settings[instruction] = rest
    }
  }
  const { ENV = '', USER = '', STOPSIGNAL = '', ENTRYPOINT = '[]', CMD = '[]' } = settings
  return {
    root,
    environment: Object.fromEntries(ENV.split(' ').map((pair) => pair.split('='))),
    user: USER,
    stopSignal: STOPSIGNAL,
    command: (args = JSON.parse(CMD)) => [...JSON.parse(ENTRYPOINT), ...args],
  }
}

const KNOWN = /^(ARG|FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD) (.+)$/

function parse(text: string): [string, string][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction = '', rest = ''] = KNOWN.exec(line) ?? []
      if (instruction === '') throw new Error(`An unknown instruction: ${line}`)
      return [instruction, rest]
    })
}

async function copy(from: string, source: string, target: string, intoFolder: boolean) {
  const found = globSync(source.replace(/^\//, ''), { cwd: from })
  if (found.length === 0) throw new Error(`Nothing to copy: ${source}`)
  if (found.length > 1 && !intoFolder) throw new Error(`Several files, and no folder: ${source}`)
  for (const one of found) {
    const to = intoFolder ? path.join(target, path.basename(one)) : target
    await cp(path.join(from, one), to, { recursive: true, verbatimSymlinks: true })
  }
}
