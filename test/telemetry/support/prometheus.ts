import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { programPath } from '../../support/installed-program.ts'
import { startProgram } from '../../support/running-program.ts'
import { until } from '../../support/until.ts'

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>

/** A Prometheus that scrapes one process every second. */
export async function startPrometheus(target: string, rulesFile: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-prometheus-'))
  const file = path.join(folder, 'prometheus.yaml')
  await cp(rulesFile, path.join(folder, 'rules.yaml'))
  await writeFile(
    file,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      // A pattern, relative to this file.
      rule_files: ['rules.yaml'],
      scrape_configs: [{ job_name: 'posthorn', static_configs: [{ targets: [target] }] }],
    }),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram({
    command: [
      programPath('prometheus'),
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
    ],
    ...{ cwd: folder, port, environment: {} },
  })
  const get = async (route: string) => {
    const response = await fetch(url + route)
    const { status, data, error } = (await response.json()) as Record<string, unknown>
    if (status !== 'success') throw new Error(`${route}: ${error}`)
    return data
  }
  await until(async () => (await fetch(`${url}/-/ready`)).ok, 'Prometheus is ready')
  return {
    get,
    /** The result of a query. Throws if Prometheus rejects it. */
    async query(expression: string) {
      const data = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)
      return (data as { result: readonly object[] }).result
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
