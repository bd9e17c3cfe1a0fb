import path from 'node:path'
import { type Generator, run } from './generator.ts'

const VERSION = '0.29.1'

const IMPORT_ALL = `
import importlib, pkgutil, posthorn_connect_api_client as client
for module in pkgutil.walk_packages(client.__path__, client.__name__ + "."):
    importlib.import_module(module.name)
`

export const openapiPythonClient: Generator = {
  name: 'openapi-python-client',
  readsEventTypes: true,
  async install(folder) {
    await run(folder, 'python3', ['-m', 'venv', 'venv'])
    const packages = [`openapi-python-client==${VERSION}`, 'ruff']
    await run(folder, 'venv/bin/pip', ['install', '--quiet', ...packages])
  },
  async build(folder) {
    const generate = ['generate', '--path', 'openapi.json', '--output-path', 'client']
    // It formats and checks the client with ruff.
    const PATH = [path.join(folder, 'venv/bin'), process.env['PATH']].join(path.delimiter)
    const options = ['--fail-on-warning']
    await run(folder, 'venv/bin/openapi-python-client', [...generate, ...options], { PATH })
    await run(path.join(folder, 'client'), '../venv/bin/python', ['-c', IMPORT_ALL])
  },
}
