import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The console and the portal: one program, whose files `src/server/console-files.ts` serves. */
export default defineConfig({
  root: here('src/console'),
  base: '/console/',
  plugins: [react()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    outDir: here('dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // A file of its own for each: the Content-Security-Policy allows no data in URLs but of pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Monaco, the editor of Explore, is one large script.
    chunkSizeWarningLimit: 3_000,
    rolldownOptions: {
      onLog(level, log, report) {
        // Directives of the React compiler, which has run already.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
  // Vite does not look for the CommonJS packages of a worker.
  optimizeDeps: {
    include: ['monaco-graphql > picomatch-browser', 'monaco-graphql > graphql-language-service'],
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
