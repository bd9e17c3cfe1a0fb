import type { UserConfig } from 'vite'

/** The page asks for its session at its own address, as in production. Here that request goes on to the host. */
const proxy = { '/session': process.env['HOST_URL'] ?? 'http://127.0.0.1:4001' }

export const settings: UserConfig = {
  // The same origin for each example, for POSTHORN_CORS_ORIGINS.
  server: { host: 'localhost', port: 5173, strictPort: true, proxy },
  preview: { host: 'localhost', port: 5173, strictPort: true, proxy },
  build: { target: 'es2024' },
}
