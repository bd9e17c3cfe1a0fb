import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The page asks for its session at its own address, as in production. Here that request goes on to `examples/host`. */
const proxy = { '/session': 'http://127.0.0.1:4001' }

/** POSTHORN_CORS_ORIGINS has the origin of the page, so another port than this one is an error. */
const served = { host: 'localhost', port: 5173, strictPort: true, proxy }

export default defineConfig({ plugins: [react()], server: served, preview: served })
