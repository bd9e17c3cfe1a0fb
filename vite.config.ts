import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * The scripts: what every page needs, the first page and its chart with the parts that they share with others, fields,
 * which are all that the sign-in needs besides, and what at least three pages share. The others are made as needed: a
 * script for each shared part would be a hundred requests.
 */
const SCRIPTS = [
  { name: 'libraries', tags: ['$initial' as const], test: /[\\/]node_modules[\\/]/, priority: 4 },
  { name: 'start', tags: ['$initial' as const], priority: 3 },
  {
    name: 'overview',
    test: /[\\/](overview-page\.tsx|(ColorSwatch|use-resolved-styles-api)\.mjs)$/,
    priority: 2,
  },
  { name: 'fields', test: /[\\/]InputBase\.mjs$/, priority: 2 },
  { name: 'shared', minShareCount: 3, priority: 1 },
]

/** The console and the portal: one program, whose files `src/server/console-files.ts` serves. */
export default defineConfig({
  root: here('packages/console'),
  base: '/console/',
  plugins: [react(), stylesOfComponents(), preloadTypeface()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    outDir: here('dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // A file of its own for each: the Content-Security-Policy allows no data in URLs but of pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // That of the libraries, without compression, in kB.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      onLog(level, log, report) {
        // Directives of the React compiler, which has run already.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
      output: { codeSplitting: { groups: SCRIPTS } },
    },
  },
  server: {
    host: '127.0.0.1',
    // `npm run dev:console` shows the sources; everything else is asked of a running `npm start`.
    proxy: {
      '/graphql': process.env['API_URL'] ?? 'http://127.0.0.1:4000',
      // Only the path itself: the sources have a folder of that name.
      '^/console/session$': process.env['API_URL'] ?? 'http://127.0.0.1:4000',
    },
  },
})

/** Loads the styles of Mantine's components with their scripts: all of them would be a tenth of the first load. */
function stylesOfComponents(): Plugin {
  return {
    name: 'styles-of-components',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith('/@mantine/core/styles.css')) return
      const base = ['baseline', 'default-css-variables', 'global']
      return base.map((name) => `@import './styles/${name}.layer.css';`).join('\n')
    },
    transform(code, id) {
      const [, name] = /\/@mantine\/core\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? []
      if (name)
        return { code: `${code}\nimport '@mantine/core/styles/${name}.layer.css'`, map: null }
    },
  }
}

/** Loads the typeface together with the scripts, so that the first text has it. */
function preloadTypeface(): Plugin {
  return {
    name: 'preload-typeface',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => /inter-latin-wght.*\.woff2$/.test(name))
        if (!file) return []
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '' }
        return [{ tag: 'link', attrs: { ...attrs, href: `/console/${file}` } }]
      },
    },
  }
}
