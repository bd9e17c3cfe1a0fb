import path from 'node:path'
import { installPackages } from '../../../scripts/install/install-packages.ts'
import { type Generator, run } from './generator.ts'

const PACKAGE = path.resolve(import.meta.dirname, '..')
const TSC = path.join(PACKAGE, 'node_modules/typescript/bin/tsc')

const VERSION = '7.17.0'
const JAR = `openapi-generator-cli-${VERSION}.jar`

/** The clients of openapi-generator that partners use most, with its default options. */
export const openapiGenerators: readonly Generator[] = [
  openapiGenerator('go', (client) => run(client, 'go', ['build', './...'])),
  openapiGenerator('java', (client) => run(client, 'mvn', ['-q', '-DskipTests', 'compile'])),
  openapiGenerator('typescript-fetch', (client) =>
    run(client, process.execPath, [TSC, '--strict', '--noEmit', ...MODULES, 'index.ts']),
  ),
]

const MODULES = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']

function openapiGenerator(
  language: string,
  compile: (client: string) => Promise<string>,
): Generator {
  return {
    name: `openapi-generator (${language})`,
    readsEventTypes: language === 'go',
    async install(folder) {
      const missing = await installPackages(PACKAGE)
      if (missing !== null) throw new Error(missing)
      const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`
      await run(folder, 'mvn', ['-q', 'dependency:copy', artifact, '-DoutputDirectory=.'])
      await run(folder, 'java', ['-jar', JAR, 'version'])
      if (language === 'go') await run(folder, 'go', ['version'])
    },
    async build(folder) {
      const generate = ['generate', '-i', 'openapi.json', '-g', language, '-o', 'client']
      await run(folder, 'java', ['-jar', JAR, ...generate])
      await compile(path.join(folder, 'client'))
    },
  }
}
