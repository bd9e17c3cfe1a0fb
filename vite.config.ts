import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The script of each folder of `packages/console` that has pages. */
const SUBJECTS = [
  ['overview', 'overview'],
  ['webhooks', 'webhooks(?![\\\\/](filter|body)[\\\\/])|incidents'],
  ['deliveries', 'deliveries|attempts|tasks|events'],
  ['catalogue', 'event-types'],
  ['menu', 'command-menu|shell'],
  ['administration', 'api-keys|audit|consumers|organizations|portal'],
  // The last two take nothing that the others need too: the others would load them for it.
  // Loaded by the form of a webhook that has a filter, and by what shows one.
  ['filter', 'webhooks[\\\\/]filter'],
  // Loaded by the form of a webhook that does not send the whole event, and by what shows a body.
  ['body', 'webhooks[\\\\/]body'],
] as const

const COMPONENTS = String.raw`@mantine|@tabler|@floating-ui|react-[\w-]+`

/**
 * The scripts: what every page needs, what several pages share, and the pages of each subject. A script for each page
 * and each shared part would be a hundred requests.
 */
const SCRIPTS = [
  // All styles are one file, which the first page loads.
  { name: 'style', test: /[\\/](packages[\\/]console|@?mantine[\w-]*)[\\/].*\.css$/, priority: 4 },
  { name: 'libraries', tags: ['$initial' as const], test: /[\\/]node_modules[\\/]/, priority: 3 },
  { name: 'start', tags: ['$initial' as const], priority: 2 },
  {
    name: 'shared',
    test: new RegExp(`[\\\\/](packages[\\\\/]console|${COMPONENTS})[\\\\/]`),
    minShareCount: 4,
    priority: 1,
  },
  ...SUBJECTS.map(([name, folders]) => ({
    name,
    test: new RegExp(`[\\\\/]packages[\\\\/]console[\\\\/](${folders})[\\\\/]`),
  })),
]

/** The console and the portal: one program, whose files `src/server/console-files.ts` serves. */
export default defineConfig({
  root: here('packages/console'),
  base: '/console/',
  plugins: [react(), preloadTypeface()],
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
