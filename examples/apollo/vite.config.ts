import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { settings } from '../shared/vite.ts'

export default defineConfig({ ...settings, plugins: [react()] })
