import type { UserConfig } from 'vite'

/** The page asks for its session at its own address, as in production. Here that request goes on to the host. */
const proxy = { '/session': process.env['HOST_URL'] ?? 'http://127.0.0.1:4001' }

/** POSTHORN_CORS_ORIGINS has the origin of the page, so another port than this one is an error. */
const port = Number(process.env['PAGE_PORT'] ?? 5173)

export const settings: UserConfig = {
  server: { host: 'localhost', port, strictPort: true, proxy },
  preview: { host: 'localhost', port, strictPort: true, proxy },
  build: { target: 'es2024' },
}
