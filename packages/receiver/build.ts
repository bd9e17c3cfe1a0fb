/** Compiles `src`, with which the server signs too, to ES modules and to CommonJS. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'

const FOLDER = import.meta.dirname
const SOURCE = path.join(FOLDER, 'src')
const { exports } = JSON.parse(readFileSync(path.join(FOLDER, 'package.json'), 'utf8'))

/** `index` and `frameworks/express`, as package.json names them */
const entries = Object.values<{ import?: { default: string } }>(exports).flatMap(
  (conditions) => /^\.\/dist\/(.*)\.js$/.exec(conditions.import?.default ?? '')?.[1] ?? [],
)

const output = path.resolve(process.argv[2] ?? path.join(FOLDER, 'dist'))
rmSync(output, { recursive: true, force: true })
await compile('es', output)
await compile('cjs', path.join(output, 'cjs'))
writeFileSync(path.join(output, 'cjs/package.json'), '{ "type": "commonjs" }\n')
declare()

async function compile(format: 'es' | 'cjs', outDir: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: {
        entry: Object.fromEntries(entries.map((name) => [name, path.join(SOURCE, `${name}.ts`)])),
        formats: [format],
        fileName: (_format, name) => `${name}.js`,
      },
      // Without white space and comments, and with all names, so that stack traces can be read.
      rolldownOptions: {
        output: {
          chunkFileNames: '[name].js',
          comments: false,
          minify: { compress: false, mangle: false, codegen: true },
        },
      },
    },
  })
}

/** The types of both are the same text: its module system is that of the nearest package.json. */
function declare(): void {
  const tsc = path.join(FOLDER, '../../node_modules/.bin/tsc')
  const project = path.join(FOLDER, 'tsconfig.build.json')
  execFileSync(tsc, ['--project', project, '--outDir', output], { stdio: 'inherit' })
  for (const file of globSync('**/*.d.ts', { cwd: output })) {
    cpSync(path.join(output, file), path.join(output, 'cjs', file))
  }
}
